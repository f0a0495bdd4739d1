import { describe, expect, it } from "vitest";
import { toSrt, toVtt } from "../../../main/transcript/subtitles.ts";

const cue = (startSec: number, endSec: number, text: string) => ({ startSec, endSec, text });

describe("srt", () => {
  it("numbers cues from 1 and ends each with a blank line", () => {
    expect(
      toSrt([cue(0, 3.319999933242798, " The beach was a popular spot."), cue(3.32, 5, "Yes.")]),
    ).toBe(
      "1\n00:00:00,000 --> 00:00:03,320\nThe beach was a popular spot.\n\n2\n00:00:03,320 --> 00:00:05,000\nYes.\n\n",
    );
  });

  it("is empty without cues", () => {
    expect(toSrt([])).toBe("");
  });

  it("sorts cues by time before it numbers them", () => {
    expect(toSrt([cue(5, 6, "second"), cue(1, 2, "first")])).toBe(
      "1\n00:00:01,000 --> 00:00:02,000\nfirst\n\n2\n00:00:05,000 --> 00:00:06,000\nsecond\n\n",
    );
  });

  it("omits cues without text and does not count them", () => {
    expect(toSrt([cue(0, 1, "  \n "), cue(1, 2, "one")])).toBe(
      "1\n00:00:01,000 --> 00:00:02,000\none\n\n",
    );
  });

  it("carries rounded milliseconds over into seconds, minutes and hours", () => {
    expect(toSrt([cue(3599.9996, 360_000.5, "x")])).toContain("01:00:00,000 --> 100:00:00,500");
  });

  it("has no negative times and no end before its start", () => {
    expect(toSrt([cue(-0.2, -0.1, "a"), cue(2, 1, "b")])).toBe(
      "1\n00:00:00,000 --> 00:00:00,000\na\n\n2\n00:00:02,000 --> 00:00:02,000\nb\n\n",
    );
  });

  it("keeps a cue whole when its text contains arrows or blank lines", () => {
    expect(toSrt([cue(0, 1, "a --> b\r\n\r\n  c ---> d \u2028e")])).toBe(
      "1\n00:00:00,000 --> 00:00:01,000\na -> b\nc -> d\ne\n\n",
    );
  });
});

describe("vtt", () => {
  it("has a header, hours, decimal points and no numbers", () => {
    expect(toVtt([cue(0, 3.32, " Text"), cue(3600, 3601.5, "More")])).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:03.320\nText\n\n01:00:00.000 --> 01:00:01.500\nMore\n\n",
    );
  });

  it("is only a header without cues", () => {
    expect(toVtt([])).toBe("WEBVTT\n\n");
  });

  it("escapes only what would be parsed as a tag", () => {
    expect(toVtt([cue(0, 1, "AT&T: 1 < 2 --> true")])).toContain("\nAT&T: 1 &lt; 2 -> true\n\n");
  });
});
