// The Settings page: appearance, privacy, vocabulary, people, defaults, limits of the engines; in the desktop's window
// also its behaviour.

import "./settings.css";
import { Keyboard } from "lucide-react";
import {
  interfaceLanguageCodes,
  interfaceLanguages,
} from "../../../main/contract/interface-languages.ts";
import { t } from "../../messages/messages.ts";
import { openOverlay } from "../../stores/overlays.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { useRoute } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { PageFrame, PageSections, Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Switch } from "../../ui/switch.tsx";
import { DeparturesPage } from "./departures-page.tsx";
import { DefaultsSection } from "./defaults-section.tsx";
import { DesktopSection } from "./desktop-section.tsx";
import { DictationHistory } from "./dictation-history.tsx";
import { DictationSection } from "./dictation-section.tsx";
import { EngineSection } from "./engine-section.tsx";
import { LicencesSection } from "./licences-section.tsx";
import { PeopleSection } from "./people-section.tsx";
import { PrivacySection } from "./privacy-section.tsx";
import { StorageSection } from "./storage-section.tsx";
import { VocabularySection } from "./vocabulary-section.tsx";
import { WatchSection } from "./watch-section.tsx";
import { UpdatesSection } from "./updates-section.tsx";

const themes = ["system", "light", "dark"] as const;

export function Page() {
  const { rest } = useRoute();
  return rest[0] === "departures" ? <DeparturesPage /> : <SettingsPage />;
}

function SettingsPage() {
  return (
    <PageFrame
      title={t("frame.page.settings")}
      about={t("settings.about")}
      actions={
        <Button icon={<Keyboard aria-hidden />} onClick={() => openOverlay("keys")}>
          {t("frame.keys")}
        </Button>
      }
    >
      <PageSections hasHeadsBeside>
        <AppearanceSection />
        <PrivacySection />
        <VocabularySection />
        <PeopleSection />
        <DefaultsSection />
        <WatchSection />
        <EngineSection />
        <DesktopSection />
        <DictationSection />
        <DictationHistory />
        <UpdatesSection />
        <StorageSection />
        <LicencesSection />
      </PageSections>
    </PageFrame>
  );
}

function AppearanceSection() {
  const { theme, language, isRailNarrow } = usePreferences();
  return (
    <Section title={t("settings.appearance")}>
      <div className="settings-rows">
        <div className="settings-row">
          <span className="field-label">{t("settings.theme")}</span>
          <Segmented
            label={t("settings.theme")}
            value={theme}
            choices={themes.map((value) => ({ value, label: t(`settings.theme.${value}`) }))}
            onChange={(next) => void changePreferences({ theme: next })}
          />
        </div>
        <div className="settings-row settings-row-field">
          <Select
            label={t("settings.language")}
            isInline
            value={language ?? ""}
            onChange={({ currentTarget: { value } }) =>
              void changePreferences({
                language: interfaceLanguageCodes.find((each) => each === value),
              })
            }
          >
            <option value="">{t("settings.language.browser")}</option>
            {interfaceLanguageCodes.map((each) => (
              <option key={each} value={each} lang={each}>
                {interfaceLanguages[each]}
              </option>
            ))}
          </Select>
        </div>
        <Switch
          label={t("settings.rail")}
          isOn={isRailNarrow}
          onChange={(next) => void changePreferences({ isRailNarrow: next })}
        />
      </div>
    </Section>
  );
}
