"""tests/check/json-to-code.py - checks the code that json-to-code writes with the tools of each
language.

It runs the tool for each sample of the folder corpus/json-to-code/, for some made at random from a
fixed seed, and for names of every letter; for the folder's samples and some others also with
`enums` and `date_times`. Each of the ten texts is compiled and checked by the formatter or
linter. Then the sample is read into the types and written again, which must give the same JSON
value. A field that is both optional and nullable may come back absent instead of null, and a time
as another text of the same moment.

Run by `make check`; all it needs is in Debian 12 (scripts/packages check), except Zod and its
compiler. These are npm packages: zod/package-lock.json pins them, and they are installed into the
build folder.
"""

import argparse
import copy
import datetime
import importlib.util
import json
import math
import os
import random
import shutil
import string
import subprocess
import sys
import unicodedata
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(__file__).resolve().parent / "corpus/json-to-code"
RANDOM_SAMPLES = 40
RANDOM_SEED = 1


# ---- samples ----

def random_key(dice):
    if dice.random() < 0.7:
        return dice.choice(["id", "name", "next", "items", "value", "user_id", "type", "data", "kids", "1", "22"])
    alphabet = string.ascii_letters + string.digits + "_- .$é用\"\\"
    return "".join(dice.choice(alphabet) for _ in range(dice.randint(0, 6)))


def random_value(dice, depth):
    roll = dice.random()
    if depth > 0 and roll < 0.35:
        return {random_key(dice): random_value(dice, depth - 1) for _ in range(dice.randint(0, 5))}
    if depth > 0 and roll < 0.6:
        return [random_value(dice, depth - 1) for _ in range(dice.randint(0, 4))]
    return dice.choice([None, True, False, 0, -5, 7, 2.5, 1e30, 2**63, "", "text", "2026-08-01", "a@b.co"])


def letters():
    """Every letter of the first plane as a field, and 1,800 of them as types; CJK and Hangul are
    all alike."""
    every = [chr(code) for code in range(0x80, 0x10000) if unicodedata.category(chr(code)).startswith("L")
             and not 0x3400 <= code <= 0x9FFF and not 0xAC00 <= code <= 0xD7A3]
    some = every[::-(-len(every) // 1800)]
    groups = {f"g{start}": dict.fromkeys(every[start:start + 80], 1) for start in range(0, len(every), 80)}
    types = {f"t{start}": {letter: {f"{start}x{place}": 1} for place, letter in enumerate(some[start:start + 90])}
             for start in range(0, len(some), 90)}
    return {"letters_fields": groups, "letters_types": types}


def random_rows(dice):
    """Values that may be enums and times."""
    words = dice.sample(["open", "closed", "in-progress", "IN_PROGRESS", "a1", "true", "None", "self", "x" * 33, "no word"], 4)
    times = ["2026-08-01T10:00:00Z", "2026-08-01T10:00:00.25-03:30", "", "2026-08-01", None]
    return [{dice.choice(["state", "State", "é"]): dice.choice(words), "at": dice.choice(times[:dice.randint(1, 5)]),
             "all": [dice.choice(words) for _ in range(dice.randint(0, 9))]} for _ in range(dice.randint(1, 12))]


def typed_samples():
    dice = random.Random(RANDOM_SEED)
    for number in range(RANDOM_SAMPLES):
        yield f"rows_{number}", json.dumps(random_rows(dice), ensure_ascii=False)


def corpus():
    return {path.stem.replace("-", "_"): path.read_text(encoding="utf-8") for path in sorted(SAMPLES.glob("*.json"))}


def samples():
    """name: text of the sample."""
    found = corpus()
    dice = random.Random(RANDOM_SEED)
    for number in range(RANDOM_SAMPLES):
        found[f"random_{number}"] = json.dumps(random_value(dice, 5), ensure_ascii=False)
    found |= {name: json.dumps(value, ensure_ascii=False) for name, value in letters().items()}
    return found


class Case:
    """One sample and the tool's result."""

    def __init__(self, name, text, runner, folder, with_types=False):
        self.name, self.text, self.value, self.with_types = name, text, json.loads(text), with_types
        request = folder / f"{name}.json"
        wants = ', "enums": true, "date_times": true' if with_types else ""
        request.write_text('{"sample": %s, "targets": %s%s}' % (text, json.dumps(list(CHECKS)), wants), encoding="utf-8")
        done = subprocess.run([runner, ROOT / "svc-utils/json-to-code/json-to-code.yaml", request],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stderr}")
        self.code = json.loads(done.stdout)["code"]
        self.schema = json.loads(self.code["json-schema"])


# ---- the same value? ----

def resolve(case, schema):
    while "$ref" in schema:
        schema = case.schema["definitions"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def alternatives(case, schema):
    return [resolve(case, option) for option in schema.get("anyOf", [schema])]


def find(case, schema, key, kind):
    """The part of the schema about values of this kind."""
    for option in alternatives(case, resolve(case, schema)):
        if kind in option.get("type", []) and key in option:
            return option
    return {}


def same_object(case, want, got, schema):
    option = find(case, schema, "properties", "object") or find(case, schema, "additionalProperties", "object")
    for key in want.keys() | got.keys():
        if key not in got and want[key] is None and key not in option.get("required", []):
            continue
        inner = option.get("properties", {}).get(key, option.get("additionalProperties", {}))
        if key not in want or key not in got or not same(case, want[key], got[key], inner):
            return False
    return True


def moment(text):
    """Of a time with an offset; NaN, which equals nothing, for other texts."""
    try:
        time = datetime.datetime.fromisoformat(text)
        return time.replace(tzinfo=None) - time.utcoffset()
    except (ValueError, TypeError):
        return math.nan


def same(case, want, got, schema):
    if isinstance(want, dict):
        return isinstance(got, dict) and same_object(case, want, got, schema)
    if isinstance(want, list):
        items = find(case, schema, "items", "array").get("items", {})
        return isinstance(got, list) and len(want) == len(got) and all(
            same(case, a, b, items) for a, b in zip(want, got))
    if case.with_types and isinstance(want, str) and isinstance(got, str) and want != got:
        return moment(want) == moment(got)
    if isinstance(want, (bool, str)) or want is None or isinstance(got, (bool, str)) or got is None:
        return type(want) is type(got) and want == got
    if not isinstance(got, (int, float)):
        return False
    if resolve(case, schema).get("type") == "integer":
        return want == got
    return math.isclose(want, got, rel_tol=1e-15)  # serde_json reads doubles to within the last bit


def compare(case, output):
    got = json.loads(output)
    return [] if same(case, case.value, got, case.schema) else [f"{case.name}: came back as {output.strip()[:300]}"]


# ---- one function a language: takes cases and an empty folder, yields problems ----

def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **more)


def check_json_schema(cases, _):
    for case in cases:
        try:
            jsonschema.Draft7Validator.check_schema(case.schema)
            jsonschema.Draft7Validator(case.schema, format_checker=jsonschema.draft7_format_checker).validate(case.value)
        except jsonschema.exceptions.ValidationError as error:
            yield f"{case.name}: {error.message}"
        except jsonschema.exceptions.SchemaError as error:
            yield f"{case.name}: not a schema: {error.message}"


def check_typescript(cases, folder):
    for case in cases:
        sample = case.text.strip().replace("\u2028", "\\u2028")  # a line feed to TypeScript
        root = case.code["typescript"] + f"\nexport const sample: Root = {sample};\n"
        (folder / f"{case.name}.ts").write_text(root, encoding="utf-8")
    done = run(["tsc", "--strict", "--noEmit", "--target", "ES5", *[f"{case.name}.ts" for case in cases]], folder)
    yield from done.stdout.splitlines()


def check_go(cases, folder):
    environment = os.environ | {"GOCACHE": str(folder.parent / "go-cache"), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    (folder / "go.mod").write_text("module check\n\ngo 1.13\n")
    lines = ["package main", "import (", '"bytes"', '"encoding/json"', '"fmt"', '"io/ioutil"']
    lines += [f'"check/{case.name}"' for case in cases]
    lines += [")", "func show(v interface{}, path string) {", "text, _ := ioutil.ReadFile(path)",
              "decoder := json.NewDecoder(bytes.NewReader(text))", "decoder.UseNumber()",
              "if err := decoder.Decode(v); err != nil { fmt.Println(err); return }",
              "out, err := json.Marshal(v)", "if err != nil { fmt.Println(err); return }", "fmt.Println(string(out))",
              "}", "func main() {"]
    for case in cases:
        (folder / case.name).mkdir()
        code = case.code["go"]
        (folder / case.name / "types.go").write_text(code.replace("package main", f"package {case.name}", 1))
        (folder / case.name / "sample.json").write_text(case.text, encoding="utf-8")
        lines.append(f'show(new({case.name}.Root), "{case.name}/sample.json")')
    (folder / "main.go").write_text("\n".join(lines + ["}"]) + "\n")
    yield from (f"not as gofmt writes it: {path}" for path in
                run(["gofmt", "-l", *[case.name for case in cases]], folder).stdout.splitlines())
    done = run(["go", "vet", *[f"./{case.name}" for case in cases]], folder, env=environment)
    yield from done.stderr.splitlines()
    done = run(["go", "run", "."], folder, env=environment)
    yield from done.stderr.splitlines()
    yield from compare_lines(cases, done.stdout)


def compare_lines(cases, output):
    lines = output.rstrip("\n").split("\n")
    if len(lines) != len(cases):
        yield f"{len(lines)} lines of output for {len(cases)} samples"
        return
    for case, line in zip(cases, lines):
        try:
            yield from compare(case, line)
        except ValueError:
            yield f"{case.name}: {line[:300]}"


def round_trip_pydantic(module, value):
    """Through the root, be it a model or an alias: as the value of a field."""
    import pydantic  # pylint: disable=import-outside-toplevel

    holder = pydantic.create_model("Holder", root=(module.Root, ...))
    return json.dumps(holder(root=value).dict(by_alias=True, exclude_unset=True)["root"],
                      default=datetime.datetime.isoformat)


def check_python(cases, folder):
    for case in cases:
        path = folder / f"{case.name}.py"
        path.write_text(case.code["python"], encoding="utf-8")
        try:
            spec = importlib.util.spec_from_file_location(f"generated_{case.name}", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            yield from compare(case, round_trip_pydantic(module, case.value))
        except Exception as error:  # pylint: disable=broad-except; any exception is a finding
            yield f"{case.name}: {type(error).__name__}: {error}"


def without_serde(code):
    """Only the names: serde's code for thousands of letters takes the compiler ten minutes."""
    return "".join(line for line in code.splitlines(keepends=True) if not line.strip().startswith(("use serde", "#[")))


def check_rust(cases, folder):
    source = folder / "src"
    source.mkdir()
    (folder / ".cargo").mkdir()
    (folder / ".cargo/config.toml").write_text(
        '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "/usr/share/cargo/registry"\n')
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "check"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
        'serde = { version = "1", features = ["derive"] }\nserde_json = "1"\n')
    lines = ["#![deny(warnings)]", "#![allow(dead_code)]",  # and Rust's warnings about other alphabets
             "#![allow(confusable_idents, mixed_script_confusables, uncommon_codepoints)]",
             "#![allow(non_camel_case_types, non_snake_case)]"]
    lines += [f"mod {case.name};" for case in cases]
    lines += ["fn show<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) {",
              "match serde_json::from_str::<T>(text) {",
              'Ok(value) => println!("{}", serde_json::to_string(&value).unwrap()),',
              'Err(error) => println!("{}", error) } }', "fn main() {"]
    read = [case for case in cases if not case.name.startswith("letters_")]
    for case in cases:
        code = case.code["rust"] if case in read else without_serde(case.code["rust"])
        (source / f"{case.name}.rs").write_text(code, encoding="utf-8")
    for case in read:
        (folder / f"{case.name}.json").write_text(case.text, encoding="utf-8")
        lines.append(f'show::<{case.name}::Root>(include_str!("../{case.name}.json"));')
    (source / "main.rs").write_text("\n".join(lines + ["}"]) + "\n")
    environment = os.environ | {"PATH": "/usr/bin:/bin", "CARGO_TARGET_DIR": str(folder.parent / "cargo-target"),
                                "CARGO_HOME": str(folder.parent / "cargo-home"), "RUSTFLAGS": "-Copt-level=0"}
    done = run(["/usr/bin/cargo", "run", "--offline", "--quiet"], folder, env=environment)
    yield from done.stderr.splitlines()[:60]
    yield from compare_lines(read, done.stdout)


# Debian has no kotlinx.serialization; its annotations and its one type are enough to compile.
KOTLIN_STUBS = {
    "serialization.kt": """package kotlinx.serialization
@Target(AnnotationTarget.CLASS)
annotation class Serializable
@Target(AnnotationTarget.PROPERTY)
annotation class SerialName(val value: String)
""",
    "json.kt": "package kotlinx.serialization.json\nsealed class JsonElement\n",
}


def check_kotlin(cases, folder):
    for name, text in KOTLIN_STUBS.items():
        (folder / name).write_text(text)
    for case in cases:
        path = folder / f"{case.name}.kt"
        path.write_text(f"package {case.name}\n\n{case.code['kotlin']}", encoding="utf-8")
    # the default of 256 MB is too small; the run ends before the JVM's second compiler would pay
    # off
    environment = os.environ | {"JAVA_OPTS": "-Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
    done = run(["kotlinc", "-nowarn", "-d", "classes", *sorted(path.name for path in folder.glob("*.kt"))], folder,
               env=environment)
    complaints = [line for line in done.stderr.splitlines() if ": error: " in line]
    yield from complaints
    if done.returncode != 0 and not complaints:
        yield done.stderr[:2000]


# Jackson's annotations and its one type are enough to compile.
JAVA_STUBS = {
    "com/fasterxml/jackson/annotation/JsonProperty.java":
        "package com.fasterxml.jackson.annotation;\npublic @interface JsonProperty { String value(); }\n",
    "com/fasterxml/jackson/annotation/JsonInclude.java":
        "package com.fasterxml.jackson.annotation;\n"
        "public @interface JsonInclude { Include value(); enum Include { NON_NULL } }\n",
    "com/fasterxml/jackson/databind/JsonNode.java":
        "package com.fasterxml.jackson.databind;\npublic abstract class JsonNode {}\n",
}


def check_java(cases, folder):
    files = dict(JAVA_STUBS)
    for case in cases:
        files[f"{case.name}/Root.java"] = f"package {case.name};\n\n{case.code['java']}"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "files").write_text("\n".join(files))
    done = run(["javac", "-encoding", "UTF-8", "-Xlint:all", "-Xmaxerrs", "50", "-d", "classes", "@files"], folder)
    complaints = [line for line in done.stderr.splitlines() if ": error: " in line or ": warning: " in line]
    yield from complaints
    if done.returncode != 0 and not complaints:
        yield done.stderr[:2000]


NEWTONSOFT = "/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll"
CSHARP_MAIN = """using System;
using System.IO;
using Newtonsoft.Json;

static class Program
{
    static void Show<T>(string path)
    {
        try
        {
            var value = JsonConvert.DeserializeObject<T>(File.ReadAllText(path),
                new JsonSerializerSettings { DateParseHandling = DateParseHandling.None });
            Console.WriteLine(JsonConvert.SerializeObject(value));
        }
        catch (Exception error)
        {
            Console.WriteLine(error.Message.Replace("\\n", " "));
        }
    }

    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
"""


def check_csharp(cases, folder):
    """All compile; documents that are objects come back. C# has no name for other documents."""
    read = [case for case in cases if "public class Root\n" in case.code["csharp"]]
    for case in cases:
        code = f"namespace {case.name} {{\n{case.code['csharp']}}}\n"
        (folder / f"{case.name}.cs").write_text(code, encoding="utf-8")
    for case in read:
        (folder / f"{case.name}.json").write_text(case.text, encoding="utf-8")
    calls = "".join(f'        Show<{case.name}.Root>("{case.name}.json");\n' for case in read)
    (folder / "Program.cs").write_text(CSHARP_MAIN + calls + "    }\n}\n")
    done = run(["mcs", "-warnaserror", "-nowarn:1587", "-out:check.exe", f"-r:{NEWTONSOFT}",
                "-r:System.Runtime.Serialization",
                *sorted(path.name for path in folder.glob("*.cs"))], folder)
    yield from done.stderr.splitlines()[:60]
    done = run(["mono", "check.exe"], folder, env=os.environ | {"MONO_PATH": str(Path(NEWTONSOFT).parent)})
    yield from done.stderr.splitlines()[:20]
    yield from compare_lines(read, done.stdout)


PHP_MAIN = """<?php

foreach (array_slice($argv, 1) as $name) {
    try {
        require "$name.php";
        $value = "$name\\Root"::from(json_decode(file_get_contents("$name.json"), flags: JSON_THROW_ON_ERROR));
        echo json_encode($value->to(), JSON_THROW_ON_ERROR), "\n";
    } catch (Throwable $error) {
        echo get_class($error), ": ", $error->getMessage(), "\n";
    }
}
"""


def as_php(case):
    """Its value as json_decode() reads it: integers that do not fit in 64 bits are floats."""
    case = copy.copy(case)
    case.value = json.loads(case.text, parse_int=lambda text: int(text) if -2**63 <= int(text) < 2**63 else float(text))
    return case


def check_php(cases, folder):
    """All are valid; documents that are objects come back. PHP has no name for other documents."""
    for case in cases:
        code = case.code["php"].replace("namespace App;", f"namespace {case.name};", 1)
        (folder / f"{case.name}.php").write_text(code, encoding="utf-8")
        (folder / f"{case.name}.json").write_text(case.text, encoding="utf-8")
    # json_decode() makes no object of a member whose name begins with U+0000
    read = [case for case in cases if isinstance(case.value, dict) and "\nfinal readonly class Root\n" in case.code["php"]
            and '"\\u0000' not in case.text]
    (folder / "main.php").write_text(PHP_MAIN)
    php = ["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr", "-d", "precision=17"]
    for case in (case for case in cases if case not in read):
        done = run([*php, f"{case.name}.php"], folder)
        yield from (done.stdout + done.stderr).splitlines()
    done = run([*php, "main.php", *[case.name for case in read]], folder)
    yield from done.stderr.splitlines()[:20]
    yield from compare_lines([as_php(case) for case in read], done.stdout)


ZODS = {"v4": "zod", "v3": "zod/v3"}  # one package contains both versions
ZOD_MAIN = """import { readFileSync } from "node:fs";
const isObject = (value) => value && typeof value === "object" && !Array.isArray(value);
const sorted = (value) => JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner);
for (const path of process.argv.slice(2)) {
    const [, name] = path.split("/");
    try {
        const { Root } = await import(`./${path}.js`);
        const sample = JSON.parse(readFileSync(`${name}.json`, "utf8"));
        console.log(sorted(Root.parse(sample)) === sorted(sample) ? "same" : `${path}: another value`);
    } catch (error) {
        console.log(`${path}: ${String(error).replaceAll("\\n", " ")}`);
    }
}
"""


def check_zod(cases, folder):
    """Both versions of Zod accept the sample, and change nothing in it."""
    for file in (Path(__file__).resolve().parent / "zod").iterdir():
        shutil.copy(file, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    (folder / "main.js").write_text(ZOD_MAIN)
    for case in cases:
        (folder / f"{case.name}.json").write_text(case.text, encoding="utf-8")
    for version, package in ZODS.items():
        (folder / version).mkdir()
        for case in cases:
            text = case.code["zod"].replace('from "zod"', f'from "{package}"', 1)
            (folder / version / f"{case.name}.ts").write_text(text, encoding="utf-8")
    paths = [f"{version}/{case.name}" for version in ZODS for case in cases]
    done = run(["node_modules/.bin/tsc", "--strict", "--target", "es2020", "--module", "nodenext", "--skipLibCheck",
                *[f"{path}.ts" for path in paths]], folder)
    yield from done.stdout.splitlines() + done.stderr.splitlines()
    done = run(["node", "main.js", *paths], folder)
    said = done.stdout.splitlines()
    yield from done.stderr.splitlines() + [line for line in said if line != "same"]
    if len(said) != len(paths):
        yield f"{len(said)} lines of output for {len(paths)} schemas"


CHECKS = {
    "json-schema": check_json_schema,
    "typescript": check_typescript,
    "go": check_go,
    "python": check_python,
    "rust": check_rust,
    "kotlin": check_kotlin,
    "java": check_java,
    "csharp": check_csharp,
    "php": check_php,
    "zod": check_zod,
}


COMPILERS = {"java": "javac", "csharp": "mcs", "php": "php"}  # that may be missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("targets", nargs="*", default=list(CHECKS), help=", ".join(CHECKS))
    options = parser.parse_args()
    runner = options.build.resolve() / "tests/check/run-json-to-code"
    work = options.build.resolve() / "json-to-code-check"
    for name in ["requests", *CHECKS]:
        shutil.rmtree(work / name, ignore_errors=True)
        (work / name).mkdir(parents=True)
    cases = [Case(name, text, runner, work / "requests") for name, text in samples().items()]
    cases += [Case(f"{name}_typed", text, runner, work / "requests", with_types=True)
              for name, text in (*corpus().items(), *typed_samples())]
    failed = False
    for target in options.targets:
        if not shutil.which(COMPILERS.get(target, "sh")):
            print(f"{target}: skipped, nothing here compiles it", flush=True)
            continue
        problems = list(CHECKS[target](cases, work / target))
        print(*problems, sep="\n", end="\n" if problems else "")
        print(f"{target}: {len(cases)} samples, {len(problems)} problems", flush=True)
        failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
