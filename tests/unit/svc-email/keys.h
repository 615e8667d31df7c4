/* tests/unit/svc-email/keys.h - public keys as in DKIM records, in base64. Nobody has their private
 * halves. */
#pragma once

/* RSA by bits; KEY_BARE is RSAPublicKey, KEY_EVEN has the exponent 4. */
#define KEY_512                                                                                \
    "MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAL6xUx/vAQRmD/DvDES7lrfyPgAbHybGDObrUnDkl6P6mWSMUofHOneg" \
    "jI2pxdXw2RAt85B0bjWb4oFg0mZX5QcCAwEAAQ=="
#define KEY_1024                                                                               \
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDqUdcvrqdiU6eJoC2zmgMV0FxmkXDVv6Gc33a88Ehqn6MEtH1u" \
    "0J8UPu8aczW+stowbVLF4LqhMlTDSruF+VkGNuLGObrw+gpB7IjSdhrp0d7EwHPv07KF/AXfJ4da5RZfcpiBev8f" \
    "RKUPTMFrnuy+QvV+ulqrbhsK5POrgybs7wIDAQAB"
#define KEY_2048                                                                               \
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApivmOG64Y9jvz8DqarNZ8X+XQMuid/7lJ1wlZ7kVtWVL" \
    "R/qd1CflPppFDesGrmkh3K3cn2LPJtul4oAqKGBlsIFq0Zj1DldbP7FfoyeqsufQXA6UhpRDUgwo6cwg0+XOqCAO" \
    "gszsEzhpE7sBJEf5jm4g7x5w/5oG/RavRpwsPCK6T9cAQMHjL/OdqBWCUIsIrLflmXvka5kIeJt5bXOLOy9HQR3R" \
    "pwX0fntssu4wBwXvxCCxKCWuULYAj9Ypdzyb/tb9Y5zfehZ0gCRPEyBKLLwTZH5avmf+qVFlp4PqBcFevPGc1LR6" \
    "3oWHDgE4N9Q0pwvZxwRxUAs68dDfl3QtvQIDAQAB"
#define KEY_BARE                                                                               \
    "MIIBCgKCAQEApivmOG64Y9jvz8DqarNZ8X+XQMuid/7lJ1wlZ7kVtWVLR/qd1CflPppFDesGrmkh3K3cn2LPJtul" \
    "4oAqKGBlsIFq0Zj1DldbP7FfoyeqsufQXA6UhpRDUgwo6cwg0+XOqCAOgszsEzhpE7sBJEf5jm4g7x5w/5oG/Rav" \
    "RpwsPCK6T9cAQMHjL/OdqBWCUIsIrLflmXvka5kIeJt5bXOLOy9HQR3RpwX0fntssu4wBwXvxCCxKCWuULYAj9Yp" \
    "dzyb/tb9Y5zfehZ0gCRPEyBKLLwTZH5avmf+qVFlp4PqBcFevPGc1LR63oWHDgE4N9Q0pwvZxwRxUAs68dDfl3Qt" \
    "vQIDAQAB"
#define KEY_4352                                                                               \
    "MIICQjANBgkqhkiG9w0BAQEFAAOCAi8AMIICKgKCAiEAokUv3Jg4Tjjbx7sMoGxZTynYiJrUlYVTcla4giaa1Ncl" \
    "LdZyU+hx63A35b3XGOEwzMBEubPNFrG+EecNFjoM6L7iZUxVJAzgAXSHestRHVXVQH6T5ZgGluR1OCBFC8PPLrFB" \
    "13fyHUHBjeA7Lm2PIr5xBYiAJj7CdAfnlKGsFFhjD+1EMiPkozfIohE9mNS0KbGkg+bH9H/sg86D25mF2JXBvYVU" \
    "EDCsW+AvzcKHQa6pmUe8uAsARY7ebVFApDRgcn2HMzDqO6HR9PPI8gir0OZ3hqmZzKI5nvYPA7niHYnMWnTLMMSl" \
    "y+rsU7t6pm9IsyzSPWz+0bThduQSWS1Gi9XvC6LxiRR2+Won086M53vRHxllcfDwn4AoKbELtQluA48OgV6hGc0J" \
    "iGvD3x1rsBeQf4H/77AgdM8Ry/pYtDlf++lTOgNf3BWlNs93qM9jIGAEMcozL+/vyF1zVCrG3xl47aplh5WWUdKX" \
    "xsG79Y9NPPmxXrG4/5qyAKAJC8uuOd8P93+IiO9TP9qaBJdKN1w8QeG2Stywx2OMIvUw9c4iyRDXeP0kWvyTVzn3" \
    "rL851l859zRq+/xXD+SjrrVJCRYmhf5ExA6PVQAAmg/+xxulvegoBScMQAjU1VyPvX6J+Zbndc3TPPbHZMg83fq9" \
    "ohyMgc01XdtGQ0pJaSOrlmaKbeCuucEcyA6a5H1LT2ObpTQA01jBcrphlOlpqKMtNQIDAQAB"
#define KEY_ED25519 "sKcWKt+t2JFZmWMdGqY9Eevn+qa7aHaGQ1iNoaTZ6ZI="
#define KEY_EVEN                                                                               \
    "MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEA2DTRWJjJLZDuuR1CWArAN2NQaijwHNOE1JlWltp8SNI9" \
    "sSvXsku38svsAGs0TsdolGVx1F5QHF4ADYEByFoGW2NiKuejufSNc24RZOknjW63lyURQfE9QW4r9tnZh3tqyzRL" \
    "ALZQZlri8BqsSDBa7jI4mxzTTca8hLLSLdEH94heiSA1we0Jtr/ZNyznJS/kW1x5HC8yJ4MQXHjAJCjgw2sTEOqV" \
    "KUWMm0olMcv8iRl4HPtvVnj+pQa0i/N/ZULCfqaAdzkDMsblKsZqbQWo9sjLYTn2TmKShoxmKslwAPLShz7orAG1" \
    "1sfsb4GipPINab6raFxZM0aM3uitnKS6jQIBBA=="
