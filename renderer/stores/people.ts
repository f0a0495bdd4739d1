// People whose voices the app remembers.

import { create } from "zustand";
import type { Person } from "../../main/contract/people.ts";
import { call } from "../api/client.ts";

type PeopleState = {
  /** Undefined until they are loaded. */
  readonly people: readonly Person[] | undefined;
};

export const usePeople = create<PeopleState>(() => ({ people: undefined }));

/** @throws ApiError */
export async function loadPeople(signal?: AbortSignal): Promise<readonly Person[]> {
  const { people } = await call("listPeople", {}, "", signal);
  usePeople.setState({ people });
  return people;
}

/** The person of that name, in capitals or not, whose voice may have been forgotten. */
export const findPerson = (people: readonly Person[], name: string): Person | undefined =>
  people.find((person) => person.name.toLowerCase() === name.toLowerCase());

/** Whether the voice of somebody of that name is remembered; false while that is not known. */
export const useIsRemembered = (name: string): boolean =>
  usePeople(({ people = [] }) => (findPerson(people, name)?.recordings.length ?? 0) > 0);
