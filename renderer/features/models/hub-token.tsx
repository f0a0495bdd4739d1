// The access token for repositories of the model hub that are private, or whose terms have to be accepted.

import { useEffect, useState, type RefObject } from "react";
import type { ModelHub } from "../../../main/contract/model-downloads.ts";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";

export function HubToken({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }) {
  const [hub, setHub] = useState<ModelHub>();
  const [text, setText] = useState("");
  const { run, isBusy, error } = useTask();
  useEffect(() => {
    void run(async (signal) => setHub(await call("readModelHub", {}, "", signal)));
  }, [run]);
  const change = (token: string | null): void =>
    void run(async (signal) => {
      setHub(await call("changeModelHub", { token }, "", signal));
      setText("");
    });
  if (hub === undefined) return null;
  return (
    <form
      className="model-repository"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") change(text.trim());
      }}
    >
      <TextField
        ref={inputRef}
        type="password"
        label={t("models.token", { host: hub.host })}
        help={t("models.token.help")}
        error={error}
        placeholder={t(`models.token.${hub.token}`)}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <Button type="submit" isBusy={isBusy}>
        {t("models.token.save")}
      </Button>
      {hub.token === "stored" && (
        <Button kind="quiet" onClick={() => change(null)}>
          {t("models.token.remove")}
        </Button>
      )}
    </form>
  );
}
