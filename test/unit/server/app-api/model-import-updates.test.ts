import { expect, it } from "vitest";
import { importUpdates } from "../../../../main/server/app-api/model-files.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { neverAborted } from "../../../support/app.ts";

const request = { path: "/models/fr" };

it("yields the progress of an import, then the model", async () => {
  const seen = Promise.withResolvers<void>();
  const updates = importUpdates(
    {
      async run(path, { onProgress }) {
        expect(path).toBe(request.path);
        onProgress?.(0.25);
        await seen.promise;
        return shippedModel("hibari");
      },
    },
    request,
    neverAborted(),
  );
  expect((await updates.next()).value).toEqual({ type: "progress", fraction: 0.25 });
  seen.resolve();
  expect((await updates.next()).value).toMatchObject({ type: "done", id: "hibari" });
  expect((await updates.next()).done).toBe(true);
});

it("throws the reason of a failure", async () => {
  const updates = importUpdates(
    { run: () => Promise.reject(new Error("no model")) },
    request,
    neverAborted(),
  );
  await expect(updates.next()).rejects.toThrow("no model");
});
