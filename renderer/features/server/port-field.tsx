// The API's port: shown, and changed in place.

import { useRef, useState } from "react";
import type { AppInfo } from "../../../main/contract/studio-api.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { changeServer } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { parseWhole } from "../../ui/whole-number.ts";

export function PortField({
  info: { port, isPortGiven, baseUrl, isNetworkOpen },
}: {
  info: AppInfo;
}) {
  /** What is typed; undefined while it is only shown. */
  const [typed, setTyped] = useState<string>();
  const task = useTask();
  const wanted = parseWhole(typed ?? "", 1, 65_535);
  /** The button takes the focus back from the form. */
  const wasOpen = useRef(false);
  const change = (): void => {
    task.clear();
    wasOpen.current = true;
    setTyped(String(port));
  };
  const leave = (): void => setTyped(undefined);
  const type = (text: string): void => {
    task.clear();
    setTyped(text);
  };
  const use = () =>
    void task.run(async () => {
      if (wanted === undefined || wanted === "wrong") return;
      await changeServer({ isRunning: baseUrl !== undefined, isNetworkOpen, port: wanted });
      leave();
    });
  useAction({ id: "server.port", title: t("server.port.change"), run: change });
  if (typed === undefined) {
    return (
      <>
        <code>{port}</code>
        <Button kind="quiet" isSmall autoFocus={wasOpen.current} onClick={change}>
          {t("server.port.change")}
        </Button>
      </>
    );
  }
  return (
    <form
      className="server-port"
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
      onKeyDown={(event) =>
        event.key === "Escape" && !event.defaultPrevented && !task.isBusy && leave()
      }
    >
      <TextField
        label={t("server.port")}
        isLabelUnseen
        inputMode="numeric"
        autoFocus
        maxLength={5}
        value={typed}
        help={isPortGiven ? t("server.port.given") : undefined}
        error={wanted === "wrong" ? t("server.port.wrong") : task.error}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Button
        type="submit"
        isBusy={task.isBusy}
        disabledReason={
          wanted === undefined || wanted === "wrong" ? t("server.port.wrong") : undefined
        }
      >
        {t("server.port.use")}
      </Button>
      {!task.isBusy && (
        <Button kind="quiet" onClick={leave}>
          {t("shell.cancel")}
        </Button>
      )}
    </form>
  );
}
