// tests/bench/libraries/libraries.mjs - libraries of npm next to our tools, for `make bench-tools`.
//
//     node libraries.mjs NAME [--show]
//
// Standard input has batches: a line with a count, then as many requests of the tool, one JSON
// object a line. The reply is one line: the CPU time of this process for all of them, in
// nanoseconds, from the request's text to the text of the library's result. With --show, the
// results come first. The time includes the garbage collector and the compiler of Node.js, as it
// does in a service.
//
// A library is a function that loads it and returns what answers one request.

import { createRequire } from "node:module";
import readline from "node:readline";

const require = createRequire(import.meta.url);
const page = (answer) => answer.slice(answer.indexOf("\n\n") + 2);
const headers = (answer) => {
  const lines = answer.slice(0, answer.indexOf("\n\n")).split("\n").slice(1);
  return Object.fromEntries(lines.map((line) => line.split(": ")).map(([name, value]) => [name.toLowerCase(), value]));
};

function discordCommand(builders, json) {
  const { SlashCommandBuilder } = builders;
  const command = new SlashCommandBuilder().setName(json.name).setDescription(json.description);
  for (const given of json.options ?? []) {
    const fill = (option) => {
      option.setName(given.name).setDescription(given.description).setRequired(given.required);
      if (given.choices) option.addChoices(...given.choices);
      return option;
    };
    if (given.type === 3) command.addStringOption(fill);
    else command.addIntegerOption(fill);
  }
  return command.toJSON();
}

const LIBRARIES = {
  "cronstrue and croner": async () => {
    const cronstrue = require("cronstrue");
    const { Cron } = await import("croner");
    return ({ expression, timezone, from, count }) => ({
      text: cronstrue.toString(expression),
      runs: new Cron(expression, { timezone, paused: true }).nextRuns(count, new Date(from)),
    });
  },
  "node:crypto": async () => {
    const { createHash } = await import("node:crypto");
    return ({ input, algorithm }) => ({ hash: createHash(algorithm).update(input).digest("hex") });
  },
  "quicktype-core": async () => {
    const { InputData, jsonInputForTargetLanguage, quicktype } = require("quicktype-core");
    return async ({ sample, targets }) => {
      const input = jsonInputForTargetLanguage(targets);
      await input.addSource({ name: "Root", samples: [JSON.stringify(sample)] });
      const inputData = new InputData();
      inputData.addInput(input);
      const rendererOptions = { "just-types": true };
      return quicktype({ inputData, lang: targets, rendererOptions });
    };
  },
  jose: async () => {
    const jose = await import("jose");
    return async ({ token, key, at }) => {
      const options = { currentDate: new Date(at * 1000) };
      return jose.jwtVerify(token, new TextEncoder().encode(key), options);
    };
  },
  "zxcvbn-ts": async () => {
    const { ZxcvbnFactory } = require("@zxcvbn-ts/core");
    const common = require("@zxcvbn-ts/language-common");
    const english = require("@zxcvbn-ts/language-en");
    const zxcvbn = new ZxcvbnFactory({
      graphs: common.adjacencyGraphs,
      dictionary: { ...common.dictionary, ...english.dictionary },
      translations: english.translations,
    });
    return ({ password }) => zxcvbn.check(password);
  },
  jsonrepair: async () => {
    const { jsonrepair } = require("jsonrepair");
    return ({ answer }) => JSON.parse(jsonrepair(answer));
  },
  qrcode: async () => {
    const qrcode = require("qrcode");
    return async ({ text, error_correction }) => ({
      svg: await qrcode.toString(text, { type: "svg", errorCorrectionLevel: error_correction }),
    });
  },
  "gpt-tokenizer": async () => {
    const { countTokens } = await import("gpt-tokenizer/model/gpt-4o");
    return ({ text }) => ({ tokens: countTokens(text) });
  },
  tiktoken: async () => {
    const encoding = require("tiktoken").get_encoding("o200k_base");
    return ({ text }) => ({ tokens: encoding.encode_ordinary(text).length });
  },
  "discord.js Client": async () => {
    const { Client } = require("discord.js");
    const client = new Client({ intents: [] });
    return ({ client_id, permissions, scopes }) => {
      client.application = { id: client_id }; // it is the logged-in application's otherwise
      return { url: client.generateInvite({ permissions, scopes }) };
    };
  },
  "discord.js CDN": async () => {
    const { CDN } = require("discord.js");
    const cdn = new CDN();
    return ({ user_id, hash, size }) => ({ url: cdn.avatar(user_id, hash, { size }) });
  },
  "discord.js SlashCommandBuilder": async () => {
    const builders = require("discord.js");
    return ({ commands }) => commands.map((command) => discordCommand(builders, command));
  },
  "discord.js EmbedBuilder": async () => {
    const { EmbedBuilder } = require("discord.js");
    return ({ embeds }) =>
      embeds.map(({ title, description, url, color, fields }) =>
        new EmbedBuilder().setTitle(title).setDescription(description).setURL(url).setColor(color).addFields(fields),
      );
  },
  "discord.js IntentsBitField": async () => {
    const { IntentsBitField } = require("discord.js");
    return ({ intents }) => {
      const field = new IntentsBitField(intents);
      return { value: field.bitfield, names: field.toArray() };
    };
  },
  obscenity: async () => {
    const { RegExpMatcher, englishDataset, englishRecommendedTransformers } = require("obscenity");
    const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers });
    return ({ text }) => matcher.getAllMatches(text, true);
  },
  "discord.js PermissionsBitField": async () => {
    const { PermissionsBitField } = require("discord.js");
    return ({ permissions, required }) => {
      const field = new PermissionsBitField(permissions);
      const missing = field.missing(required);
      return { value: String(field.bitfield), names: field.toArray(), missing };
    };
  },
  "@sapphire/snowflake": async () => {
    const { DiscordSnowflake } = require("@sapphire/snowflake");
    return ({ snowflake }) => {
      const parts = DiscordSnowflake.deconstruct(snowflake);
      return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, String(value)]));
    };
  },
  "discord.js escapeMarkdown": async () => {
    const { escapeMarkdown } = require("discord.js");
    const all = { heading: true, bulletedList: true, numberedList: true, maskedLink: true };
    return ({ text }) => ({ text: escapeMarkdown(text, all) });
  },
  "discord.js time": async () => {
    const { time, TimestampStyles } = require("discord.js");
    return ({ timestamp }) => {
      const date = new Date(timestamp);
      return Object.values(TimestampStyles).map((style) => time(date, style));
    };
  },
  mailparser: async () => {
    const { simpleParser } = require("mailparser");
    return async ({ headers: lines }) => {
      const mail = await simpleParser(`${lines}\r\n\r\n`);
      return { headers: Object.fromEntries(mail.headers), lines: mail.headerLines };
    };
  },
  "@tgwf/co2": async () => {
    const { co2, averageIntensity } = require("@tgwf/co2");
    const model = new co2({ model: "swd", version: 4 });
    const visits = { dataReloadRatio: 0, firstVisitPercentage: 1, returnVisitPercentage: 0 };
    return ({ bytes, country, green }) => {
      const value = averageIntensity.data[country];
      const gridIntensity = { device: value, dataCenter: value, network: value };
      return model.perVisitTrace(bytes, green, { ...visits, gridIntensity });
    };
  },
  Spectral: async () => {
    const { Spectral, Document } = require("@stoplight/spectral-core");
    const { Json } = require("@stoplight/spectral-parsers");
    const { oas } = require("@stoplight/spectral-rulesets");
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas] });
    return async ({ spec }) => spectral.run(new Document(spec, Json));
  },
  "swagger-parser": async () => {
    const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
    return async ({ spec }) => ({ version: (await SwaggerParser.validate(JSON.parse(spec))).openapi });
  },
  "openapi-diff": async () => {
    const { diffSpecs } = require("openapi-diff");
    const side = (content, location) => ({ content, location, format: "openapi3" });
    return async ({ previous, spec }) =>
      diffSpecs({ sourceSpec: side(previous, "a.json"), destinationSpec: side(spec, "b.json") });
  },
  "csp-evaluator": async () => {
    const { CspEvaluator } = require("csp_evaluator");
    const { CspParser } = require("csp_evaluator/dist/parser");
    return ({ answer }) => {
      const csp = new CspParser(headers(answer)["content-security-policy"]).csp;
      return new CspEvaluator(csp).evaluate();
    };
  },
  "seo-analyzer": async () => {
    const Analyzer = require("seo-analyzer");
    const rules = ["titleLengthRule", "imgTagWithAltAttributeRule", "aTagWithRelAttributeRule", "headingsStructureRule",
                   "metaBaseRule", "metaDescriptionRule", "metaSocialRule", "canonicalLinkRule"];
    return ({ answer }) =>
      new Promise((resolve) => {
        const analyzer = new Analyzer({ verbose: false }).inputHTMLStrings([{ source: "page", text: page(answer) }]);
        for (const rule of rules) analyzer.useRule(rule);
        analyzer.outputObject(resolve).run();
      });
  },
  "simple-wappalyzer": async () => {
    const wappalyzer = require("simple-wappalyzer");
    return async ({ answer }) => {
      const found = await wappalyzer({ url: "https://www.example.com/", html: page(answer), headers: headers(answer) });
      return found.map(({ name, version }) => ({ name, version }));
    };
  },
};

const [name, show] = process.argv.slice(2);
const answer = await LIBRARIES[name]();
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
console.info = console.log = () => {}; // some libraries speak

for (;;) {
  const head = await lines.next();
  if (head.done) break;
  const requests = [];
  while (requests.length < Number(head.value)) requests.push((await lines.next()).value);
  const replies = [];
  const before = process.cpuUsage();
  for (const request of requests) {
    const reply = JSON.stringify(await answer(JSON.parse(request)), (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    if (show) replies.push(reply);
  }
  const spent = process.cpuUsage(before);
  for (const reply of replies) process.stdout.write(`${reply}\n`);
  process.stdout.write(`${1000 * (spent.user + spent.system)}\n`);
}
process.exit(0);
