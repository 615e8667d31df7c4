// Generated from the gateway's OpenAPI document: see clients/generate.py. Do not edit.
export const getTools = new Set(["placeholder-image"]);
