// The last dictations: copied again, cleared, or not kept at all.

import { useEffect, useState } from "react";
import type { Dictation } from "../../../main/contract/dictations.ts";
import { call } from "../../api/client.ts";
import { formatDateTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";

export function DictationHistory() {
  const isKept = usePreferences(({ keepsDictations }) => keepsDictations);
  const [dictations, setDictations] = useState<readonly Dictation[]>([]);
  const { run, cancel, error } = useTask();
  useEffect(() => {
    void run(async (signal) =>
      setDictations((await call("listDictations", {}, "", signal)).dictations),
    );
    return cancel;
  }, [run, cancel]);
  const clear = () =>
    run(async () => {
      await call("clearDictations", {});
      setDictations([]);
    });
  return (
    <Section title={t("settings.dictations")} about={t("settings.dictations.about")}>
      <div className="settings-rows">
        <Switch
          label={t("settings.dictations.keep")}
          help={t("settings.dictations.keep.help")}
          isOn={isKept}
          onChange={(keepsDictations) => {
            void changePreferences({ keepsDictations }).then(() => !keepsDictations && clear());
          }}
        />
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        {dictations.length > 0 && (
          <>
            <ul className="settings-dictations">
              {dictations.map(({ id, text, atMs }) => (
                <li key={id}>
                  <span className="settings-dictation-text">{text}</span>
                  <span className="secondary figures">{formatDateTime(atMs)}</span>
                  <CopyButton label={t("dictate.copy")} text={text} />
                </li>
              ))}
            </ul>
            <p>
              <Button isSmall onClick={() => void clear()}>
                {t("settings.dictations.clear")}
              </Button>
            </p>
          </>
        )}
      </div>
    </Section>
  );
}
