import { expect, it } from "vitest";
import { createOggPager, opusTags } from "../../../../main/audio/codec/framing.ts";
import { encodeAudio, noise } from "../../../support/test-audio.ts";

it("writes the same Ogg pages as FFmpeg, checksum included", () => {
  const file = Buffer.from(encodeAudio(noise(3, 48_000), 48_000, "opus"));
  const page = createOggPager(file.readUInt32LE(14));
  for (let at = 0; at < file.length;) {
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]!);
    const start = at;
    at += 27 + lacing.length;
    const packets: Buffer[] = [];
    let length = 0;
    for (const size of lacing) {
      length += size;
      if (size === 255) continue;
      packets.push(file.subarray(at, at + length));
      at += length;
      length = 0;
    }
    const isLast = (file[start + 5]! & 4) !== 0;
    expect(
      Buffer.from(page(packets, Number(file.readBigInt64LE(start + 6)), isLast)).equals(
        file.subarray(start, at),
      ),
    ).toBe(true);
  }
});

it("ends a packet whose length is a multiple of 255 with an empty segment", () => {
  const page = createOggPager(1)([new Uint8Array(510)], 0);
  expect([...page.subarray(26, 30)]).toEqual([3, 255, 255, 0]);
});

it("writes the vendor into the comment header and no comments", () => {
  expect(Buffer.from(opusTags("ab")).toString("latin1")).toBe("OpusTags\x02\0\0\0ab\0\0\0\0");
});
