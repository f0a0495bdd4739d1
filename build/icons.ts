// Renders icon.svg to PNGs for Linux, and to .icns and .ico files. Run `npm run icons` after a change of the drawing;
// the results are committed.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launchBrowser } from "../test/support/browser.ts";

type IconImage = { readonly sizePx: number; readonly png: Buffer };

const iconsDir = join(import.meta.dirname, "icons");
const linuxSizesPx = [16, 24, 32, 48, 64, 128, 256, 512];
const windowsSizesPx = [16, 24, 32, 48, 64, 128, 256];
/** Apple's entry names and pixel sizes; some sizes have two names, for normal and double-density screens. */
const appleEntries = [
  ["ic11", 32],
  ["ic12", 64],
  ["ic07", 128],
  ["ic13", 256],
  ["ic08", 256],
  ["ic14", 512],
  ["ic09", 512],
  ["ic10", 1024],
] as const;
/** Margin of the drawing, as macOS requires it; it is cropped for other systems, where icons are small. */
const margin = 100 / 1024;

const svg = await readFile(join(import.meta.dirname, "icon.svg"), "utf8");
const [withMargin, cropped] = [
  await draw(
    appleEntries.map(([, sizePx]) => sizePx),
    0,
  ),
  await draw([...linuxSizesPx, ...windowsSizesPx], margin),
];

await mkdir(iconsDir, { recursive: true });
for (const sizePx of linuxSizesPx)
  await writeFile(join(iconsDir, `${sizePx}x${sizePx}.png`), findPicture(cropped, sizePx).png);
await writeFile(
  join(import.meta.dirname, "icon.icns"),
  icns(appleEntries.map(([name, sizePx]) => ({ name, ...findPicture(withMargin, sizePx) }))),
);
await writeFile(
  join(import.meta.dirname, "icon.ico"),
  ico(windowsSizesPx.map((sizePx) => findPicture(cropped, sizePx))),
);

function findPicture(pictures: readonly IconImage[], sizePx: number): IconImage {
  const match = pictures.find((picture) => picture.sizePx === sizePx);
  if (match === undefined) throw new Error(`no picture of ${sizePx} pixels was drawn`);
  return match;
}

/** @param cropFraction fraction of the size cropped from each side */
async function draw(sizesPx: readonly number[], cropFraction: number): Promise<IconImage[]> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const pictures: IconImage[] = [];
    for (const sizePx of new Set(sizesPx)) {
      const fullSizePx = sizePx / (1 - 2 * cropFraction);
      await page.setViewportSize({ width: sizePx, height: sizePx });
      await page.setContent(
        `<body style="margin:0;overflow:hidden"><div style="width:${fullSizePx}px;height:${fullSizePx}px;margin:${-fullSizePx * cropFraction}px">${svg}</div>`,
      );
      pictures.push({ sizePx, png: await page.screenshot({ omitBackground: true }) });
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

/** A magic number and the total length, then entries: name, length including these eight bytes, PNG. */
function icns(entries: readonly (IconImage & { name: string })[]): Buffer {
  const parts = entries.map(({ name, png }) =>
    Buffer.concat([Buffer.from(name, "latin1"), bigEndian(png.length + 8), png]),
  );
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from("icns", "latin1"), bigEndian(body.length + 8), body]);
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** ICONDIR, an ICONDIRENTRY of 16 bytes each, then the PNGs. 256 pixels are written as 0. */
function ico(pictures: readonly IconImage[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = header.length;
  for (const [index, { sizePx, png }] of pictures.entries()) {
    const entryOffset = 6 + 16 * index;
    header.writeUInt8(sizePx % 256, entryOffset);
    header.writeUInt8(sizePx % 256, entryOffset + 1);
    header.writeUInt16LE(1, entryOffset + 4);
    header.writeUInt16LE(32, entryOffset + 6);
    header.writeUInt32LE(png.length, entryOffset + 8);
    header.writeUInt32LE(offset, entryOffset + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...pictures.map(({ png }) => png)]);
}
