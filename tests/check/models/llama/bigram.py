"""tests/check/models/llama/bigram.py - writes a language model that llama.cpp can run: a
bigram of bytes.

The model has the architecture "llama" with one layer whose weights are 0, so the layer adds
nothing. The embedding of a token has a 1 in one place, and the output weights in that place are the
logarithms of the probabilities of the next token. So it knows which byte follows which, and nothing
else. A grammar makes its answers valid JSON.

The file format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (read on 2026-11-28).
"""

import math
import struct

SPECIAL = ["<unk>", "<s>", "</s>"]  # their ids are 0, 1, 2
END = 2
TOKENS = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581"]  # the last one is a space
UNKNOWN, NORMAL, CONTROL, BYTE = 2, 1, 3, 6
TYPES = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, NORMAL]
WIDTH = 288  # of an embedding: at least the number of tokens, in blocks of 32
HEAD = 32
CONTEXT = 16384
NEVER = -30.0
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5
ALIGNMENT = 32


# ---- the bigram ----

def probabilities(texts):
    """How likely each byte is after each byte. A string or a text ends soon, also after a letter,
    so that most answers end before their limit. A string that ended where it began would be empty,
    and an answer with one empty text is not a result."""
    seen = [[0.0] * 257 for _ in range(256)]  # 256: the end
    for text in texts:
        data = text.encode("ascii", "ignore")
        for now, then in zip(data, data[1:]):
            seen[now][then] += 1
    for now in range(32, 127):
        most = max(sum(seen[now]), 1)
        for then in range(32, 127):
            seen[now][then] += 0.0005 * most
        if now != ord('"'):
            seen[now][ord('"')] += 0.12 * most
        seen[now][256] += 0.04 * most
        seen[now][ord("\\")] = 0
    return seen


def logits(texts):
    """For each token, those of the next one."""
    rows = [[NEVER] * len(TOKENS) for _ in TOKENS]
    seen = probabilities(texts)
    for now in range(256):
        total = sum(seen[now]) or 1
        for then, count in enumerate(seen[now]):
            if count:
                rows[token_of(now)][END if then == 256 else token_of(then)] = math.log(count / total)
    rows[len(TOKENS) - 1] = rows[token_of(32)]
    return rows


def token_of(byte):
    return len(SPECIAL) + byte


# ---- the file ----

def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


FORMS = {U32: lambda value: struct.pack("<I", value), I32: lambda value: struct.pack("<i", value),
         F32: lambda value: struct.pack("<f", value), BOOL: lambda value: struct.pack("<?", value), STRING: string}


def entry(name, kind, value):
    head = string(name)
    if isinstance(value, list):
        return head + struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(map(FORMS[kind], value))
    return head + struct.pack("<I", kind) + FORMS[kind](value)


def metadata():
    yield entry("general.architecture", STRING, "llama")
    yield entry("general.name", STRING, "bigram")
    for name, value in {"block_count": 1, "context_length": CONTEXT, "embedding_length": WIDTH, "vocab_size": len(TOKENS),
                        "feed_forward_length": HEAD, "attention.head_count": 1, "attention.head_count_kv": 1,
                        "attention.key_length": HEAD, "attention.value_length": HEAD,
                        "rope.dimension_count": HEAD}.items():
        yield entry(f"llama.{name}", U32, value)
    yield entry("llama.attention.layer_norm_rms_epsilon", F32, 1e-6)
    yield entry("tokenizer.ggml.model", STRING, "llama")
    yield entry("tokenizer.ggml.tokens", STRING, TOKENS)
    yield entry("tokenizer.ggml.scores", F32, [0.0] * len(TOKENS))
    yield entry("tokenizer.ggml.token_type", I32, TYPES)
    for name, value in {"unknown": 0, "bos": 1, "eos": END}.items():
        yield entry(f"tokenizer.ggml.{name}_token_id", U32, value)
    yield entry("tokenizer.ggml.add_bos_token", BOOL, True)
    yield entry("tokenizer.ggml.add_space_prefix", BOOL, False)


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def tensors(texts):
    """(name, size of each dimension, values)"""
    ones, zeros = floats([1.0] * WIDTH), floats([0.0] * WIDTH * HEAD)
    place = [floats([float(n == token) for n in range(WIDTH)]) for token in range(len(TOKENS))]
    rows = logits(texts)
    scale = math.sqrt(WIDTH)  # the norm of the last layer multiplies the 1 by it
    output = [floats([rows[now][then] / scale if now < len(TOKENS) else 0.0 for now in range(WIDTH)])
              for then in range(len(TOKENS))]
    yield "token_embd.weight", (WIDTH, len(TOKENS)), b"".join(place)
    yield "output_norm.weight", (WIDTH,), ones
    yield "output.weight", (WIDTH, len(TOKENS)), b"".join(output)
    for name in ("attn_norm", "ffn_norm"):
        yield f"blk.0.{name}.weight", (WIDTH,), ones
    for name in ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up"):
        yield f"blk.0.{name}.weight", (WIDTH, HEAD), zeros
    for name in ("attn_output", "ffn_down"):
        yield f"blk.0.{name}.weight", (HEAD, WIDTH), zeros


def padding(size):
    return b"\0" * (-size % ALIGNMENT)


def write(file, texts):
    """The model of these texts. It is the same each time."""
    entries, listed = list(metadata()), list(tensors(texts))
    infos, data = b"", b""
    for name, sizes, values in listed:
        infos += string(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, len(data))  # 0: F32
        data += values + padding(len(values))
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(listed), len(entries)) + b"".join(entries) + infos
    file.write_bytes(head + padding(len(head)) + data)
