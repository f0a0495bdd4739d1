// How much of this machine the engines may take, and for how long. Takes effect at the next start.

import { useEffect, useState } from "react";
import { maxMemoryMb } from "../../../main/contract/studio-api.ts";
import type { EngineUse } from "../../../main/contract/studio.ts";
import { formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { loadInfo, useInfo } from "../../stores/info.ts";
import { live } from "../../stores/live.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page-header.tsx";
import { parseWhole } from "../../ui/whole-number.ts";

type WholeFieldProps = {
  label: string;
  help: string;
  value: number | undefined;
  min: number;
  max: number;
  usual?: string;
  onChange: (value: number | undefined) => void;
};

export function EngineSection() {
  const { workers, idleSec, memoryMb } = usePreferences();
  const known = useInfo(({ info }) => info?.engines);
  const [told, setTold] = useState<EngineUse>();
  const engines = told ?? known;
  useEffect(() => {
    void loadInfo();
    return live().subscribe((event) => void (event.type === "engines" && setTold(event.engines)));
  }, []);
  return (
    <Section title={t("settings.engines")} about={t("settings.engines.about")}>
      <div className="settings-columns">
        <WholeField
          label={t("settings.workers")}
          help={t("settings.workers.help")}
          value={workers}
          min={1}
          max={64}
          onChange={(next) => void changePreferences({ workers: next })}
        />
        <WholeField
          label={t("settings.idle")}
          help={t("settings.idle.help")}
          value={idleSec}
          min={1}
          max={86_400}
          onChange={(next) => void changePreferences({ idleSec: next })}
        />
        <WholeField
          label={t("settings.memory")}
          help={t("settings.memory.help")}
          value={memoryMb}
          min={0}
          max={maxMemoryMb}
          usual={t("settings.memory.none")}
          onChange={(next) => void changePreferences({ memoryMb: next })}
        />
      </div>
      {engines !== undefined && (
        <p className="field-help">
          {t("settings.memory.now", {
            count: engines.processes,
            size: formatSize(engines.heldBytes),
          })}
          {memoryMb !== undefined &&
            memoryMb > 0 &&
            engines.heldBytes > memoryMb * 1e6 &&
            ` ${t("settings.memory.above")}`}
        </p>
      )}
    </Section>
  );
}

/** Kept when the field is left or on Enter; empty is what is usual. */
function WholeField({
  label,
  help,
  value,
  min,
  max,
  usual = t("settings.usual"),
  onChange,
}: WholeFieldProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? String(value ?? "");
  const parsed = parseWhole(shown, min, max);
  const take = () => {
    if (typed === undefined || parsed === "wrong") return;
    if (parsed !== value) onChange(parsed);
    setTyped(undefined);
  };
  return (
    <TextField
      label={label}
      help={help}
      inputMode="numeric"
      placeholder={usual}
      value={shown}
      error={parsed === "wrong" ? t("settings.whole", { min, max }) : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
        if (event.key === "Escape") setTyped(undefined);
      }}
    />
  );
}
