import { expect, it } from "vitest";
import type { CommandContext } from "../../../../main/cli/commands/command.ts";
import { transcribe, translate } from "../../../../main/cli/commands/transcribe.ts";

const run = (values: Record<string, string>): Promise<number> =>
  translate.run({
    positionals: ["talk.mp3"],
    values,
    client: () => Promise.reject(new Error("it would be translated")),
  } as unknown as CommandContext);

it.each(["diarized_json", "rttm"])("a translation refuses the format %s", async (format) => {
  await expect(run({ format })).rejects.toThrow(
    `--format must be one of json, text, srt, verbose_json, vtt, csv, not '${format}'`,
  );
});

it("a translation tells no speakers apart, whatever its file is called", async () => {
  expect([Object.keys(transcribe.options), Object.keys(translate.options)]).toEqual([
    expect.arrayContaining(["speakers"]),
    expect.not.arrayContaining(["speakers"]),
  ]);
  await expect(run({ out: "talk.rttm" })).rejects.toThrow("it would be translated");
});
