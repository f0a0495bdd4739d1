import { expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import { readShippedLicences } from "../../../main/licences/shipped-licences.ts";

const listed = await readShippedLicences();
const names = new Set(listed.map(({ name }) => name));

it("cover all packages that the app loads, its fonts and its models", () => {
  const { vite: _, ...loaded } = packageJson.dependencies;
  expect([...names]).toEqual(
    expect.arrayContaining([
      ...Object.keys(loaded),
      ...shippedCatalog.map(({ name }) => name),
      "FFmpeg",
      "eSpeak NG",
      "misaki",
      "SIWIS French Speech Synthesis Database",
      "onnxruntime-common",
      "@radix-ui/react-menu",
    ]),
  );
  expect(listed.filter(({ licence }) => licence === "" || licence === "not stated")).toEqual([]);
  expect(names.size).toBe(listed.length);
});

it("cover no build, check or packaging tools, and no packages that are installed but never loaded", () => {
  const tools = [
    "vite",
    "rolldown",
    "lightningcss",
    "postcss",
    "typescript",
    "vitest",
    "electron-builder",
    "werift",
    "unzipper",
    "adm-zip",
    "undici-types",
  ];
  expect(tools.filter((name) => names.has(name))).toEqual([]);
  expect(
    [...names].filter((name) => name.startsWith("@types/") || name.startsWith("@rolldown/")),
  ).toEqual([]);
});
