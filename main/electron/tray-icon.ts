// Draws the tray icon as pixels, so that every size is sharp: the bars of the app icon, or a red disc while recording.
// On macOS the system colors the bars.

import { type NativeImage, nativeImage } from "electron";

/** The app icon on a 32 × 32 grid: horizontal center, top and bottom of each bar. */
const bars = [
  { x: 6, from: 16, to: 16 },
  { x: 11, from: 11, to: 21 },
  { x: 16, from: 6, to: 26 },
  { x: 21, from: 12, to: 20 },
  { x: 26, from: 15, to: 17 },
] as const;
const barRadius = 1.6;
const viewBoxSize = 32;
const orange = [0xc2, 0x41, 0x0c] as const;
const black = [0, 0, 0] as const;
const red = [0xdc, 0x26, 0x26] as const;
const disc = { x: 16, y: 16, radius: 11 } as const;

/** In points. */
const sizePoints = 16;

export function trayIcon(
  isRecording: boolean,
  system: NodeJS.Platform = process.platform,
): NativeImage {
  // Not while recording: macOS recolors template images, including red ones.
  const isTemplate = system === "darwin" && !isRecording;
  const image = nativeImage.createEmpty();
  for (const scaleFactor of [1, 2, 3]) {
    const sizePx = sizePoints * scaleFactor;
    image.addRepresentation({
      scaleFactor,
      width: sizePx,
      height: sizePx,
      buffer: isRecording ? drawDisc(sizePx, red) : drawBars(sizePx, isTemplate ? black : orange),
    });
  }
  image.setTemplateImage(isTemplate);
  return image;
}

type Colour = readonly [red: number, green: number, blue: number];
type Point = { readonly x: number; readonly y: number };

/** BGRA with premultiplied alpha, the format of Chromium's bitmaps. */
export function drawBars(sizePx: number, colour: Colour): Buffer {
  return draw(
    sizePx,
    colour,
    (point) =>
      Math.min(
        ...bars.map((bar) =>
          Math.hypot(point.x - bar.x, point.y - Math.min(Math.max(point.y, bar.from), bar.to)),
        ),
      ) - barRadius,
  );
}

export function drawDisc(sizePx: number, colour: Colour): Buffer {
  return draw(
    sizePx,
    colour,
    (point) => Math.hypot(point.x - disc.x, point.y - disc.y) - disc.radius,
  );
}

/** @param distance to the edge of the shape, in units; negative: inside */
function draw(
  sizePx: number,
  [redValue, green, blue]: Colour,
  distance: (point: Point) => number,
): Buffer {
  const pixels = Buffer.alloc(sizePx * sizePx * 4);
  for (let y = 0; y < sizePx; y++) {
    for (let x = 0; x < sizePx; x++) {
      const point = {
        x: ((x + 0.5) * viewBoxSize) / sizePx,
        y: ((y + 0.5) * viewBoxSize) / sizePx,
      };
      // Antialiasing: opacity falls from 1 to 0 over one pixel.
      const opacity = Math.min(1, Math.max(0, (-distance(point) * sizePx) / viewBoxSize + 0.5));
      pixels.set(
        [blue, green, redValue, 255].map((value) => Math.round(value * opacity)),
        (y * sizePx + x) * 4,
      );
    }
  }
  return pixels;
}
