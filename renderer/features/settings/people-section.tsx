// People whose voices are remembered: what is known of each, and ways to rename it, take it along or delete it.

import "../../ui/table.css";
import { Download, Pencil, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { maxPersonNameLength, type Person } from "../../../main/contract/people.ts";
import { libraryUrl, personUrl } from "../../api/binary.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/error.ts";
import { formatDate } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { loadPeople, usePeople } from "../../stores/people.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { TitleField } from "../../ui/title-field.tsx";

export function PeopleSection() {
  const people = usePeople((state) => state.people);
  const [removing, setRemoving] = useState<Person>();
  const loading = useTask();
  const removal = useTask();
  const { run, cancel } = loading;
  useEffect(() => {
    void run(async (signal) => void (await loadPeople(signal)));
    return cancel;
  }, [run, cancel]);
  const close = () => {
    setRemoving(undefined);
    removal.clear();
  };
  const remove = async ({ id }: Person) => {
    const isDone = await removal.run(async () => {
      await call("removePerson", {}, id);
      await loadPeople();
    });
    if (isDone) close();
  };
  return (
    <Section title={t("settings.people")} about={t("settings.people.about")}>
      {loading.error !== undefined && <Notice tone="bad">{loading.error}</Notice>}
      {people?.length === 0 && <p className="field-help">{t("settings.people.none")}</p>}
      {people !== undefined && people.length > 0 && (
        <>
          <PeopleTable people={people} onRemove={setRemoving} />
          <p className="settings-people-archive">
            <a className="button button-secondary" href={libraryUrl({ hasPeople: true })} download>
              <Download aria-hidden />
              {t("settings.people.archive")}
            </a>
          </p>
        </>
      )}
      <Confirm
        title={t("settings.people.remove.of", { name: removing?.name ?? "" })}
        text={t("settings.people.remove.sure", { name: removing?.name ?? "" })}
        verb={t("settings.people.remove")}
        isOpen={removing !== undefined}
        isBusy={removal.isBusy}
        error={removal.error}
        onConfirm={() => removing !== undefined && void remove(removing)}
        onClose={close}
      />
    </Section>
  );
}

/** @returns why it failed */
async function rename({ id }: Person, name: string): Promise<string | undefined> {
  try {
    await call("renamePerson", { name }, id);
    await loadPeople();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

type PeopleTableProps = { people: readonly Person[]; onRemove: (person: Person) => void };

const PeopleTable = ({ people, onRemove }: PeopleTableProps) => (
  <div className="table-scroll settings-people">
    <table className="table">
      <thead>
        <tr>
          <th>{t("settings.people.name")}</th>
          <th>{t("settings.people.from")}</th>
          <th>{t("settings.people.since")}</th>
          <th>
            <span className="unseen">{t("settings.people.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.id}>
            <td>
              <TitleField
                label={t("settings.people.name.of", { name: person.name })}
                maxLength={maxPersonNameLength}
                value={person.name}
                onSave={(name) => rename(person, name)}
              />
            </td>
            <td className="secondary">
              {person.recordings.map(({ title }) => title).join(", ") ||
                t("settings.people.nothing")}
            </td>
            <td>{formatDate(person.createdAtMs)}</td>
            <td className="settings-people-actions">
              <Button
                isSmall
                kind="quiet"
                icon={<Pencil aria-hidden />}
                aria-label={t("settings.people.rename.of", { name: person.name })}
                onClick={({ currentTarget }) =>
                  currentTarget.closest("tr")?.querySelector("input")?.select()
                }
              >
                {t("settings.people.rename")}
              </Button>
              <a
                className="button button-quiet button-small"
                href={personUrl(person.id)}
                aria-label={t("settings.people.export.of", { name: person.name })}
                download
              >
                <Download aria-hidden />
                {t("settings.people.export")}
              </a>
              <Button
                isSmall
                kind="quiet"
                icon={<Trash2 aria-hidden />}
                aria-label={t("settings.people.remove.of", { name: person.name })}
                onClick={() => onRemove(person)}
              >
                {t("settings.people.remove")}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
