// Packs the desktop app for the current system: stages it, writes the third-party notices, runs electron-builder with
// electron-builder.yml, and prints sizes. See `npm run package -- --help` for options.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type Configuration, Platform } from "electron-builder";
import { distDir, projectDir } from "./built-folder.ts";
import { desktopFolder, ensureStagedDesktop } from "./staged-desktop.ts";
import { interfaceLanguageCodes } from "../main/contract/interface-languages.ts";
import { listUnloadedPackages } from "../main/licences/installed-packages.ts";
import packageJson from "../package.json" with { type: "json" };
import { thirdPartyNotices } from "./third-party-notices.ts";
import { sizeReport } from "./packed-sizes.ts";
import {
  checkBuiltInKeys,
  checkVersion,
  createSigningKey,
  readSigningKey,
  signFeed,
  SigningKeyError,
} from "./sign-feed.ts";

const help = `npm run package -- [OPTION...]
  --dir                  write only the folder that would be packed, no installers
  --without-weights      leave out the weights of large models; Hibari still speaks under the six names
  --inspectable          a build that tests can control; not for distribution
  --feed URL             also write a signed update manifest, to be published at this address
  --signing-key FILE     private key for the manifest, as PEM; default: HEARSAY_SIGNING_KEY
  --new-signing-key FILE create such a key, print its public key, and pack nothing
  --electron-dist DIR    use the Electron in this folder
  --out DIR              folder for the packages (default: dist/packages)
`;

/**
 * 15 of 263 MB: what speaks under OpenAI's names, and what every model that is installed later needs to find speech.
 */
const smallWeights = ["*.md", "hibari/**", "silero-vad/**"];

/** Internal module of electron-builder, which it does not export. */
type ConfigModule = {
  getConfig(dir: string, file: string, overrides: Configuration): Promise<Configuration>;
};
const builderRequire = createRequire(createRequire(import.meta.url).resolve("electron-builder"));

const options = {
  dir: { type: "boolean" },
  "without-weights": { type: "boolean" },
  inspectable: { type: "boolean" },
  feed: { type: "string" },
  "signing-key": { type: "string" },
  "new-signing-key": { type: "string" },
  "electron-dist": { type: "string" },
  out: { type: "string" },
  help: { type: "boolean" },
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

try {
  const { values } = parseArgs({ options });
  if (values.feed !== undefined && URL.parse(values.feed)?.protocol !== "https:")
    throw new TypeError(`--feed has to be an https address, not '${values.feed}'`);
  if (values.help === true) process.stdout.write(help);
  else if (values["new-signing-key"] !== undefined)
    process.stdout.write(await createSigningKey(resolve(values["new-signing-key"])));
  else await pack(values);
} catch (error) {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  const isUsageError =
    error instanceof TypeError &&
    (code?.startsWith("ERR_PARSE_ARGS") === true || message.startsWith("--feed"));
  const isSigningError = error instanceof SigningKeyError;
  const isNetworkError =
    /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)/.test(code ?? "") ||
    /getaddrinfo|fetch failed/.test(message);
  if (isUsageError) process.stderr.write(`npm run package: ${message}\n${help}`);
  else if (isSigningError) process.stderr.write(`npm run package: ${message}\n`);
  else if (isNetworkError)
    process.stderr.write(
      `npm run package: Electron and the other tools for packing could not be downloaded: ${message}. ` +
        "With --electron-dist DIR, an Electron that is already on this machine is used.\n",
    );
  else process.stderr.write(`npm run package: ${stack ?? message}\n`);
  process.exitCode = isUsageError || isSigningError ? 2 : 1;
}

async function pack(values: Options): Promise<void> {
  // Check first, since packing takes minutes: no app would accept an invalid feed.
  const { extraMetadata } = await readConfig({});
  const { updateKeys, version } = packedMetadata(extraMetadata);
  checkBuiltInKeys(updateKeys);
  const signingKey =
    values.feed === undefined
      ? undefined
      : await readSigningKey(values["signing-key"], process.env, updateKeys);
  if (signingKey !== undefined) checkVersion(version);
  await ensureStagedDesktop(
    () => process.stdout.write("Building the window.\n"),
    new AbortController().signal,
  );
  const { dependencies } = JSON.parse(
    await readFile(join(desktopFolder.dir, "package.json"), "utf8"),
  ) as { dependencies: Record<string, string> };
  const packages = Object.keys(dependencies);
  await mkdir(join(distDir, "notices"), { recursive: true });
  await writeFile(
    join(distDir, "notices", "THIRD-PARTY-NOTICES.txt"),
    await thirdPartyNotices(packages),
  );

  const excludedPackages = (await listUnloadedPackages(desktopFolder.dir, packages)).map(
    (name) => `!node_modules/${name}/**`,
  );
  const config = await configuration(values, [
    ...excludedPackages,
    `!node_modules/onnxruntime-node/bin/napi-v6/!(${process.platform})/**`,
  ]);
  const isFolder = values.dir === true;
  const outputPaths = await build({
    projectDir: desktopFolder.dir,
    config,
    targets: Platform.current().createTarget(isFolder ? "dir" : undefined),
    publish: "never",
  });
  if (signingKey !== undefined && !isFolder) {
    const machine = { system: process.platform, arch: process.arch };
    const names = await signFeed(outputPaths, version, signingKey, machine);
    process.stdout.write(`Signed: ${names.join(", ")}\n`);
  }
  process.stdout.write(
    await sizeReport(
      resolve(desktopFolder.dir, config.directories?.output ?? ""),
      isFolder ? [] : outputPaths,
    ),
  );
}

function readConfig(overrides: Configuration): Promise<Configuration> {
  const { getConfig } = builderRequire("app-builder-lib/out/util/config/config.js") as ConfigModule;
  return getConfig(desktopFolder.dir, join(projectDir, "electron-builder.yml"), overrides);
}

/** Fields of the packed package.json that matter for updates. */
function packedMetadata(extra: unknown): { updateKeys: string[]; version: string } {
  const { updateKeys = [], version = packageJson.version } = (extra ?? {}) as {
    updateKeys?: string[];
    version?: string;
  };
  return { updateKeys, version };
}

/** Merges electron-builder.yml and the options. @param excludedPatterns glob patterns */
async function configuration(
  values: Options,
  excludedPatterns: readonly string[],
): Promise<Configuration> {
  const { out, feed } = values;
  const config = await readConfig({
    ...(out === undefined ? {} : { directories: { output: resolve(out) } }),
    ...(values["electron-dist"] === undefined
      ? {}
      : { electronDist: resolve(values["electron-dist"]) }),
    ...(values.inspectable === true
      ? { electronFuses: { enableNodeCliInspectArguments: true } }
      : {}),
    ...(feed === undefined ? {} : { publish: { provider: "generic", url: feed } }),
  });
  const [files, ...more] = fileSets(config.files);
  const resources = fileSets(config.extraResources);
  return {
    ...config,
    electronLanguages: ["en-US", ...interfaceLanguageCodes],
    files: [{ ...files, filter: [...[files?.filter ?? []].flat(), ...excludedPatterns] }, ...more],
    // Updates on macOS need a zip.
    ...(feed === undefined || process.platform !== "darwin"
      ? {}
      : {
          mac: {
            ...config.mac,
            target: [
              config.mac?.target ?? [],
              { target: "zip" as const, arch: ["arm64" as const] },
            ].flat() as MacTargets,
          },
        }),
    extraResources:
      values["without-weights"] === true
        ? resources.map((one) =>
            one.from?.endsWith("/weights") === true ? { ...one, filter: smallWeights } : one,
          )
        : resources,
  };
}

type MacTargets = NonNullable<NonNullable<Configuration["mac"]>["target"]>;
type Files = Configuration["files"];
type FileSet = Exclude<Extract<NonNullable<Files>, readonly unknown[]>[number], string>;

/** Normalized to the form that electron-builder uses after reading them. */
function fileSets(files: Files): FileSet[] {
  return [files ?? []].flat().map((one) => (typeof one === "string" ? { filter: one } : one));
}
