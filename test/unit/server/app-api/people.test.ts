import { expect, it } from "vitest";
import { storedPerson } from "../../../../main/contract/people.ts";
import { createPeople } from "../../../../main/library/people.ts";
import { peopleRoutes } from "../../../../main/server/app-api/people.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";
import { openTestLibrary } from "../../../support/library.ts";

async function opened() {
  const people = createPeople(openTestLibrary());
  const remember = (name: string) =>
    people.remember(name, {
      itemId: "a",
      title: "Talk",
      speechSec: 12.5,
      print: Float32Array.from([0.5, -0.25]),
    });
  const appApiRoutes = peopleRoutes({
    people,
    rememberedVoices: {
      remember: async ({ name }) => remember(name),
      correct: async ({ itemId }) => ({
        revision: itemId.length,
        isLearnt: true,
        correctionId: "1",
      }),
      revert: (itemId, correctionId) => itemId === "abc" && correctionId === "1",
    },
    forget: async ({ id }) => people.remove(id),
  });
  const { gateway } = await createTestGateway({ deps: { appApiRoutes } });
  const ask = (path: string, method = "GET", body?: object): Promise<Response> =>
    gateway.handle(
      new Request(`http://127.0.0.1${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { isTrusted: true },
    );
  return { ask, remember };
}

it("lists, renames and removes people, and shows no voice print", async () => {
  const { ask } = await opened();
  const added = await ask("/app/people", "POST", { itemId: "a", speaker: "A", name: " Ada " });
  const person = (await added.json()) as { id: string };
  expect(person).toMatchObject({ name: "Ada", recordings: [{ title: "Talk", speechSec: 12.5 }] });
  const renamed = await ask(`/app/people/${person.id}`, "PATCH", { name: "Ada L." });
  expect(renamed.status).toBe(200);
  const listed = await (await ask("/app/people")).text();
  expect(listed).toContain("Ada L.");
  expect(listed).not.toContain("print");
  expect(await (await ask(`/app/people/${person.id}`, "DELETE")).json()).toEqual({ removed: true });
  expect((await ask(`/app/people/${person.id}`, "DELETE")).status).toBe(404);
  expect((await ask("/app/people", "POST", { itemId: "a", speaker: "A", name: " " })).status).toBe(
    400,
  );
});

it("gives all that is stored about a person as a file", async () => {
  const { ask, remember } = await opened();
  const { id } = remember("Zoë");
  const response = await ask(`/app/people/${id}/export`);
  expect(response.headers.get("content-disposition")).toContain("Zo%C3%AB.json");
  expect(storedPerson.parse(await response.json()).recordings[0]?.print).toEqual([0.5, -0.25]);
  expect((await ask("/app/people/other/export")).status).toBe(404);
});

it("corrects the speaker of an item", async () => {
  const { ask } = await opened();
  const response = await ask("/app/items/abc/speaker", "POST", { speaker: "A", name: "Ada" });
  expect(await response.json()).toEqual({ revision: 3, isLearnt: true, correctionId: "1" });
  const revert = (correctionId: string): Promise<Response> =>
    ask("/app/items/abc/speaker/revert", "POST", { correctionId });
  expect(await (await revert("1")).json()).toEqual({ isReverted: true });
  expect(await (await revert("2")).json()).toEqual({ isReverted: false });
});
