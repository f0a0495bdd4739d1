// API keys: created with a name and limits, shown once, revoked.

import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ApiKeyView } from "../../../main/contract/usage.ts";
import { call } from "../../api/client.ts";
import { formatCost, formatDate } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { useRows } from "../../ui/rows.ts";
import "../../ui/table.css";
import { NewKeyForm } from "./new-key-form.tsx";

export function KeysSection() {
  const { keys, setKeys, loading, load } = useKeys();
  const [isAdding, setAdding] = useState(false);
  const [createdKey, setCreatedKey] = useState<CreatedKey>();
  const [revoking, setRevoking] = useState<ApiKeyView>();
  const revocation = useTask();
  const addButton = useRef<HTMLButtonElement>(null);
  const rows = useRows({
    count: keys?.length ?? 0,
    keyOf: (index) => keys?.[index]?.id ?? index,
    fallbackFocus: addButton,
  });
  /** When the form closes, the button gets the focus back. */
  const wasAdding = useRef(false);
  const add = (): void => {
    wasAdding.current = true;
    setAdding(true);
  };
  useAction({ id: "server.keys.add", title: t("server.keys.add"), keys: "n", run: add });
  const closeConfirm = (): void => {
    setRevoking(undefined);
    rows.takeFocus();
  };
  const revoke = async (key: ApiKeyView) => {
    const isDone = await revocation.run(async () => {
      await call("revokeKey", {}, key.id);
      setKeys((before) => before?.filter((each) => each.id !== key.id));
    });
    if (isDone) closeConfirm();
  };
  return (
    <Section
      title={t("server.keys")}
      about={t("server.keys.about")}
      actions={
        !isAdding && (
          <Button
            ref={addButton}
            autoFocus={wasAdding.current}
            icon={<Plus aria-hidden />}
            onClick={add}
          >
            {t("server.keys.add")}
          </Button>
        )
      }
    >
      {isAdding && (
        <NewKeyForm
          onClose={() => setAdding(false)}
          onCreated={({ name, secret }) => {
            setCreatedKey({ name, secret });
            load();
            setAdding(false);
          }}
        />
      )}
      {createdKey !== undefined && (
        <CreatedKeyNotice createdKey={createdKey} onDismiss={() => setCreatedKey(undefined)} />
      )}
      {loading.error !== undefined && (
        <Notice
          tone="bad"
          action={
            <Button isSmall onClick={load}>
              {t("frame.retry")}
            </Button>
          }
        >
          {loading.error}
        </Notice>
      )}
      {keys?.length === 0 && !isAdding && (
        <EmptyState title={t("server.keys.none")} text={t("server.keys.none.text")} />
      )}
      {keys !== undefined && keys.length > 0 && (
        <KeyTable keys={keys} rows={rows} onRevoke={setRevoking} />
      )}
      <Confirm
        title={t("server.keys.revoke")}
        text={t("server.keys.revoke.text", { name: revoking?.name ?? "" })}
        verb={t("server.keys.revoke")}
        isOpen={revoking !== undefined}
        isBusy={revocation.isBusy}
        error={revocation.error}
        onConfirm={() => revoking !== undefined && void revoke(revoking)}
        onClose={closeConfirm}
      />
    </Section>
  );
}

/** The list of keys, which the command line changes too. */
function useKeys() {
  const [keys, setKeys] = useState<readonly ApiKeyView[]>();
  const loading = useTask();
  const load = (): void => {
    loading.cancel();
    void loading.run(async (signal) => setKeys((await call("listKeys", {}, "", signal)).keys));
  };
  useEffect(load, []);
  useEffect(
    () =>
      eventStream().subscribe(({ type }) => {
        if (type === "keys") load();
      }),
    [],
  );
  return { keys, setKeys, loading, load };
}

type CreatedKey = { name: string; secret: string };

/** The only time that the key is shown. */
function CreatedKeyNotice({
  createdKey,
  onDismiss,
}: {
  createdKey: CreatedKey;
  onDismiss: () => void;
}) {
  return (
    <Notice
      action={
        <Button isSmall kind="quiet" onClick={onDismiss}>
          {t("server.keys.done")}
        </Button>
      }
    >
      <p>{t("server.keys.once", { name: createdKey.name })}</p>
      <p className="server-secret">
        <code>{createdKey.secret}</code>
        <CopyButton label={t("server.key.copy")} text={createdKey.secret} />
      </p>
    </Notice>
  );
}

function KeyTable({
  keys,
  rows,
  onRevoke,
}: {
  keys: readonly ApiKeyView[];
  rows: ReturnType<typeof useRows>;
  onRevoke: (key: ApiKeyView) => void;
}) {
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>{t("server.keys.name")}</th>
            <th className="table-detail">{t("server.keys.begins")}</th>
            <th>{t("server.keys.may")}</th>
            <th className="table-figure">{t("server.keys.budget")}</th>
            <th className="table-detail">{t("server.keys.since")}</th>
            <th>
              <span className="unseen">{t("server.keys.revoke")}</span>
            </th>
          </tr>
        </thead>
        <tbody {...rows.list}>
          {keys.map((key, index) => (
            <tr key={key.id} data-row={index}>
              <td>{key.name}</td>
              <td className="table-detail">
                <code>{key.hint}…</code>
              </td>
              <td>{key.scopes.map((scope) => t(`server.scope.${scope}`)).join(", ")}</td>
              <td className="table-figure">
                {key.monthlyBudgetUsd === undefined
                  ? t("server.keys.noBudget")
                  : t("server.keys.perMonth", { cost: formatCost(key.monthlyBudgetUsd) })}
              </td>
              <td className="table-detail">{formatDate(key.createdAtMs)}</td>
              <td className="table-figure">
                <Button
                  isSmall
                  kind="quiet"
                  tabIndex={rows.tabIndexOf(index)}
                  aria-label={t("server.keys.revoke.named", { name: key.name })}
                  onClick={() => onRevoke(key)}
                >
                  {t("server.keys.revoke.short")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
