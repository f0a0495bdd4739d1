// Stages the desktop app in dist/desktop: main/ as JavaScript, one file per source file, since modules look for files
// next to themselves; the preload bundled as CommonJS for Electron's sandbox; the window's page; a link to the weights.
// Used by `npm run build:desktop` and by a start with Electron.

import { copyFile, cp, glob, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, extname, join } from "node:path";
import { build as viteBuild, parseSync, transformWithOxc } from "vite";
import packageJson from "../package.json" with { type: "json" };
import { readShippedLicences } from "../main/licences/shipped-licences.ts";
import { buildFolder, projectDir } from "./built-folder.ts";
import { ensureBuiltPage } from "./built-page.ts";
import { desktopFolder, weightsDir } from "./staged-desktop.ts";

const mainDir = join(projectDir, "main");
const preload = join("electron", "preload.ts");
/** Needed by plain Node only, or linked instead. */
const excludedDirs = [join(mainDir, "cli"), join(projectDir, weightsDir)];

/** Packages that are found by `createRequire`, which is no import. */
const requiredPackages = ["@echogarden/espeak-ng-emscripten", "eld", "sherpa-onnx-node"];

process.on("disconnect", () => process.exit(1));

try {
  const page = await ensureBuiltPage(() => {}, new AbortController().signal);
  await buildFolder(desktopFolder, async (draft) => {
    const imported = new Set<string>(requiredPackages);
    for (const path of await mainFiles()) {
      const target = join(draft, "main", path);
      await mkdir(dirname(target), { recursive: true });
      if (path === preload) await bundlePreload(dirname(target));
      else if (extname(path) === ".ts")
        await transpile(path, target.replace(/ts$/, "js"), imported);
      else await copyFile(join(mainDir, path), target);
    }
    await writeFile(
      join(draft, "package.json"),
      `${JSON.stringify(manifest(imported), null, 2)}\n`,
    );
    await writeFile(join(draft, "licences.json"), `${JSON.stringify(await licences(), null, 2)}\n`);
    await cp(page, join(draft, "dist", "renderer"), { recursive: true });
    // What the main process shows: menus and errors. The page has the other texts.
    for await (const path of glob("renderer/messages/*/{app,desktop}.json", { cwd: projectDir }))
      await cp(join(projectDir, path), join(draft, path));
    // On Windows any user may create a junction.
    await symlink(join(projectDir, weightsDir), join(draft, weightsDir), "junction");
  });
  process.stdout.write(`The desktop app is staged in ${desktopFolder.dir}.\n`);
} catch (error) {
  process.stderr.write(
    `hearsay: the desktop app could not be staged: ${(error as Error).message}\n`,
  );
  process.exitCode = 1;
}
process.exit();

async function mainFiles(): Promise<string[]> {
  const entries = await readdir(mainDir, { recursive: true, withFileTypes: true });
  return entries
    .filter(
      (entry) =>
        entry.isFile() &&
        extname(entry.name) !== ".md" &&
        !excludedDirs.some(
          (dir) => entry.parentPath === dir || entry.parentPath.startsWith(join(dir, "/")),
        ),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(mainDir.length + 1));
}

/** Converts one file to one file. @param imported receives the names of imported packages */
async function transpile(path: string, target: string, imported: Set<string>): Promise<void> {
  const source = await readFile(join(mainDir, path), "utf8");
  const { code } = await transformWithOxc(source, path, {
    target: "esnext",
    sourcemap: false,
    typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: "rewrite" },
  });
  const { module } = parseSync(target, code);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
  ];
  // For dynamic imports the parser returns only the position of the specifier, which is an expression.
  for (const { moduleRequest } of module.dynamicImports)
    specifiers.push(/^(['"])(.+)\1$/.exec(code.slice(moduleRequest.start, moduleRequest.end))?.[2]);
  for (const specifier of specifiers) {
    if (specifier !== undefined && /^[^./]/.test(specifier) && !isBuiltin(specifier))
      imported.add(packageNameOf(specifier));
  }
  await writeFile(target, code);
}

/** `@scope/name/file` → `@scope/name` */
function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

async function bundlePreload(outDir: string): Promise<void> {
  await viteBuild({
    configFile: false,
    root: projectDir,
    logLevel: "warn",
    ssr: { noExternal: true },
    build: {
      ssr: join(mainDir, preload),
      outDir,
      emptyOutDir: false,
      target: "esnext",
      minify: false,
      rolldownOptions: {
        external: ["electron"],
        output: { format: "cjs", entryFileNames: "preload.cjs" },
      },
    },
  });
}

/** @throws Error if the app imports a package that is not among its dependencies */
function manifest(imported: ReadonlySet<string>): object {
  const { name, version, description, license, dependencies: allDependencies } = packageJson;
  const importedNames = [...imported].filter((one) => one !== "electron").sort();
  const dependencies = importedNames.map((one) => {
    if (!Object.hasOwn(allDependencies, one))
      throw new Error(`the app imports ${one}, which is not among its dependencies`);
    return [one, allDependencies[one as keyof typeof allDependencies]] as const;
  });
  return {
    name,
    productName: "Hearsay",
    version,
    description,
    license,
    type: "module",
    main: "main/electron/main.js",
    dependencies: Object.fromEntries(dependencies),
  };
}

/** The licences of a checkout, with Electron in place of its Node.js packages (optional dependencies). */
async function licences(): Promise<Awaited<ReturnType<typeof readShippedLicences>>> {
  const electron = {
    name: "Electron",
    licence: "MIT",
    what: "the desktop window, with Chromium and Node.js",
  };
  return [
    ...(await readShippedLicences()).filter(
      ({ name }) => !Object.hasOwn(packageJson.optionalDependencies, name),
    ),
    electron,
  ].sort((a, b) => a.name.localeCompare(b.name));
}
