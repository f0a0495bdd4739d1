import { expect, it } from "vitest";
import { createMergePatch, applyMergePatch } from "../../../main/contract/merge-patch.ts";

it("changes what is in the patch, and nothing else", () => {
  const value = { a: 1, b: { c: 2, d: [1, 2] }, e: "x" };
  expect(applyMergePatch(value, { b: { c: 3 }, e: null, f: { g: 4, h: null } })).toEqual({
    a: 1,
    b: { c: 3, d: [1, 2] },
    f: { g: 4 },
  });
  expect(value).toEqual({ a: 1, b: { c: 2, d: [1, 2] }, e: "x" });
  expect(applyMergePatch({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
});

it("creates the smallest patch from one value to the other", () => {
  const from = { a: 1, b: { c: 2, d: [1, 2] }, e: "x", same: { deep: { y: 1 } } };
  const to = { a: 1, b: { c: 2, d: [2] }, e: undefined, same: { deep: { y: 1 } }, f: { g: true } };
  expect(createMergePatch(from, to)).toEqual({ b: { d: [2] }, e: null, f: { g: true } });
  expect(applyMergePatch(from, createMergePatch(from, to))).toEqual({
    a: 1,
    b: { c: 2, d: [2] },
    same: { deep: { y: 1 } },
    f: { g: true },
  });
  expect(createMergePatch(from, structuredClone(from))).toEqual({});
});
