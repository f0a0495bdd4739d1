// A port, edited in place: the API's, and others.

import { useRef, useState } from "react";
import type { AppInfo } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { changeServer } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { parseInteger } from "../../ui/parse-integer.ts";

export const ApiPortField = ({
  info: { port, isPortGiven, baseUrl, isNetworkOpen },
}: {
  info: AppInfo;
}) => (
  <PortField
    actionId="server.port"
    label={t("server.port")}
    changeText={t("server.port.change")}
    help={isPortGiven ? t("server.port.given") : undefined}
    port={port}
    onChange={(newPort) =>
      changeServer({ isRunning: baseUrl !== undefined, isNetworkOpen, port: newPort })
    }
  />
);

type PortFieldProps = {
  actionId: string;
  label: string;
  changeText: string;
  help?: string | undefined;
  port: number;
  /** @throws ApiError if it cannot be used */
  onChange: (port: number) => Promise<void>;
};

export function PortField({ actionId, label, changeText, help, port, onChange }: PortFieldProps) {
  /** The typed text; undefined while the field is closed. */
  const [typed, setTyped] = useState<string>();
  const task = useTask();
  const newPort = parseInteger(typed ?? "", 1, 65_535);
  /** When the form closes, the button gets the focus back. */
  const wasOpen = useRef(false);
  const startEditing = (): void => {
    task.clear();
    wasOpen.current = true;
    setTyped(String(port));
  };
  const stopEditing = (): void => setTyped(undefined);
  const type = (text: string): void => {
    task.clear();
    setTyped(text);
  };
  const applyPort = () =>
    void task.run(async () => {
      if (newPort === undefined || newPort === "wrong") return;
      await onChange(newPort);
      stopEditing();
    });
  useAction({ id: actionId, title: changeText, run: startEditing });
  if (typed === undefined) {
    return (
      <>
        <code>{port}</code>
        <Button
          kind="quiet"
          isSmall
          autoFocus={wasOpen.current}
          aria-label={changeText}
          onClick={startEditing}
        >
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
        applyPort();
      }}
      onKeyDown={(event) =>
        event.key === "Escape" && !event.defaultPrevented && !task.isBusy && stopEditing()
      }
    >
      <TextField
        label={label}
        isLabelHidden
        inputMode="numeric"
        autoFocus
        maxLength={5}
        value={typed}
        help={help}
        error={newPort === "wrong" ? t("server.port.wrong") : task.error}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Button
        type="submit"
        isBusy={task.isBusy}
        disabledReason={
          newPort === undefined || newPort === "wrong" ? t("server.port.wrong") : undefined
        }
      >
        {t("server.port.use")}
      </Button>
      {!task.isBusy && (
        <Button kind="quiet" onClick={stopEditing}>
          {t("frame.cancel")}
        </Button>
      )}
    </form>
  );
}
