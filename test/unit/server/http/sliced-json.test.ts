import { expect, it } from "vitest";
import { slicedJsonResponse } from "../../../../main/server/http/sliced-json.ts";

async function sent(value: object): Promise<{ json: string; sizes: number[]; declared: number }> {
  const response = await slicedJsonResponse(value, { "cache-control": "no-store" });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  return {
    json: Buffer.concat(chunks).toString(),
    sizes: chunks.map(({ length }) => length),
    declared: Number(response.headers.get("content-length")),
  };
}

it.each([
  ["an empty object", {}],
  ["short values", { a: 1, b: undefined, c: [1, 2], d: 'x"y' }],
  [
    "long lists",
    {
      first: 1,
      list: Array.from({ length: 1_001 }, (_, at) => ({ at, text: `"${at}"` })),
      gone: undefined,
      last: null,
    },
  ],
  ["long texts", { text: 'a\n"\\'.repeat(50_000), other: "é😀".repeat(50_000) }],
  ["surrogate pairs at every slice border", { text: `x${"😀".repeat(200_000)}` }],
])("produces the same JSON: %s", async (_, value) => {
  const { json, sizes, declared } = await sent(value);
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
  expect(declared).toBe(sizes.reduce((sum, size) => sum + size, 0));
});

it("is sent in chunks, whatever its length", async () => {
  const { sizes } = await sent({
    script: "A sentence. ".repeat(400_000),
    sentences: Array.from({ length: 20_000 }, (_, at) => ({
      id: String(at),
      text: "A sentence.".repeat(5),
    })),
  });
  expect(Math.max(...sizes)).toBeLessThan(200_000);
});
