// Dictation into other programs: keys, whether they are available, and how the text is delivered.

import { useDesktop } from "../../bridge/desktop.ts";
import { desktopPreferences, type DesktopState } from "../../../main/contract/desktop-bridge.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";
import { changeDesktopPreferences } from "./change-desktop-preferences.ts";
import { KeysField } from "./keys-field.tsx";

const { dictationKeys: defaultKeys } = desktopPreferences.parse({});

export function DictationSection() {
  const state = useDesktop((desktop) => desktop.state);
  const { dictationKeys, typesDictation, keepsDictatedLineBreaks } = usePreferences(
    (preferences) => preferences.desktop,
  );
  if (state === undefined) return null;
  const { cannotType } = state.dictation;
  return (
    <Section title={t("settings.dictation")} about={t("settings.dictation.about")}>
      <div className="settings-rows">
        <KeysField
          label={t("settings.dictation.keys")}
          keys={dictationKeys}
          defaultKeys={defaultKeys}
          system={state.system}
          onChange={(keys) => changeDesktopPreferences({ dictationKeys: keys })}
        />
        <KeysState state={state} />
        <p className="field-help">{t("settings.dictation.hold")}</p>
        <Switch
          label={t("settings.dictation.types")}
          help={t("settings.dictation.types.help")}
          isOn={typesDictation}
          onChange={(isOn) => changeDesktopPreferences({ typesDictation: isOn })}
        />
        <Switch
          label={t("settings.dictation.lineBreaks")}
          help={t("settings.dictation.lineBreaks.help")}
          isOn={keepsDictatedLineBreaks}
          onChange={(isOn) => changeDesktopPreferences({ keepsDictatedLineBreaks: isOn })}
        />
        {typesDictation && cannotType !== undefined && (
          <Notice tone="warn">{t("settings.dictation.cannotType", { why: cannotType })}</Notice>
        )}
      </div>
    </Section>
  );
}

/** State of the keys, and what to do if they do not work. */
function KeysState({ state: { system, dictation } }: { state: DesktopState }) {
  const { keys, command } = dictation;
  if (keys === "active") return <p className="field-help">{t("settings.dictation.active")}</p>;
  return (
    <Notice
      tone={keys === "off" ? "plain" : "warn"}
      action={
        system === "linux" ? (
          <CopyButton label={t("settings.dictation.copy", { command })} text={command} />
        ) : undefined
      }
    >
      {t(`settings.dictation.${keys}`)}{" "}
      {system === "linux" && t("settings.dictation.bind", { command })}
    </Notice>
  );
}
