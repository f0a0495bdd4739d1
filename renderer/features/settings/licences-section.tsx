// Version of Hearsay and the licences of its parts.

import "../../ui/table.css";
import { t } from "../../messages/messages.ts";
import { useInfo } from "../../stores/info.ts";
import { Section } from "../../ui/page-frame.tsx";

export function LicencesSection() {
  const info = useInfo((state) => state.info);
  if (info === undefined) return null;
  return (
    <Section
      title={t("settings.licences")}
      about={t("settings.licences.about", { version: info.version })}
    >
      <div className="table-scroll">
        <table className="table table-wraps">
          <thead>
            <tr>
              <th>{t("settings.licences.name")}</th>
              <th>{t("settings.licences.what")}</th>
              <th>{t("settings.licences.licence")}</th>
            </tr>
          </thead>
          <tbody>
            {info.licences.map(({ name, what, licence }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="secondary">{what}</td>
                <td>{licence}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
