// Makes writes of a process fail: the first write of each place in the sources starts a period in which all writes of
// the app and its children fail. State is shared between the processes as files in one folder.

import { existsSync, openSync, closeSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { hookWrites } from "../../../main/storage/disk.ts";

export const faultKinds = ["full", "read-only", "no permission", "too-many-files", "busy"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The plan that the driver writes. Without it nothing fails. */
export type FaultPlan = { kind: FaultKind; windowMs: number };

const planName = "plan.json";
const windowName = "window.json";
export const sitePrefix = "site ";

export const writePlan = (folder: string, plan: FaultPlan): void =>
  writeFileSync(join(folder, planName), JSON.stringify(plan));

const codes: Readonly<Record<FaultKind, { system?: string; sqlite: number }>> = {
  full: { system: "ENOSPC", sqlite: 13 },
  "read-only": { system: "EROFS", sqlite: 8 },
  "no permission": { system: "EACCES", sqlite: 3 },
  "too-many-files": { system: "EMFILE", sqlite: 14 },
  busy: { sqlite: 5 },
};

/** Only a database can be busy. */
function createFault(kind: FaultKind, operation: string): Error | undefined {
  const { system, sqlite } = codes[kind];
  if (operation === "database")
    return Object.assign(new Error(`injected: ${kind}`), {
      code: "ERR_SQLITE_ERROR",
      errcode: sqlite,
    });
  return system === undefined
    ? undefined
    : Object.assign(new Error(`${system}: injected`), { code: system });
}

/** An absolute path, because the checkout itself may be in a folder called "main". */
const sources = join(import.meta.dirname, "..", "..", "..", "main") + sep;
const wrapperModules = ["storage/disk.ts", "storage/database.ts", "storage/transactions.ts"];

/** The place in the sources that writes: the topmost stack frame within main/, except the wrapper modules. */
function writeSite(operation: string): string {
  const frames = (new Error().stack ?? "")
    .split("\n")
    .flatMap((line) => line.split(sources).slice(1));
  const [, file = "unknown", line = ""] =
    /^([^):]+):(\d+)/.exec(
      frames.find((frame) => !wrapperModules.some((seam) => frame.startsWith(seam))) ?? "",
    ) ?? [];
  return `${operation} ${file.replaceAll(sep, "~")} ${line}`;
}

/** @param folder shared by the app, its children and the driver */
export function injectFaults(folder: string): void {
  hookWrites((operation) => {
    const planPath = join(folder, planName);
    if (!existsSync(planPath)) return;
    const { kind, windowMs } = JSON.parse(readFileSync(planPath, "utf8")) as FaultPlan;
    const fault = createFault(kind, operation);
    if (fault === undefined) return;
    if (isInFaultWindow(folder) || claimSite(folder, writeSite(operation), windowMs)) throw fault;
  });
}

function isInFaultWindow(folder: string): boolean {
  try {
    return Date.now() < Number(readFileSync(join(folder, windowName), "utf8"));
  } catch {
    return false;
  }
}

function claimSite(folder: string, site: string, windowMs: number): boolean {
  try {
    closeSync(openSync(join(folder, `${sitePrefix}${site}`), "wx"));
  } catch {
    return false;
  }
  writeFileSync(join(folder, windowName), String(Date.now() + windowMs));
  return true;
}
