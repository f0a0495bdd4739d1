// The languages of the interface, in their own words so that everyone recognizes theirs. The texts of each are in
// renderer/messages/<code>/.

export const interfaceLanguages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
} as const;

export type InterfaceLanguage = keyof typeof interfaceLanguages;

export const interfaceLanguageCodes = Object.keys(interfaceLanguages) as InterfaceLanguage[];

/** The first of some locales (`fr-CA`) that the interface has, else English. */
export const matchInterfaceLanguage = (locales: readonly string[]): InterfaceLanguage =>
  locales
    .map((locale) => locale.slice(0, 2))
    .find((code): code is InterfaceLanguage => Object.hasOwn(interfaceLanguages, code)) ?? "en";
