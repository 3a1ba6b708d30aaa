import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Tabs } from "#/shared/ui/tabs";
import type { DetailTab } from "./search";

export function DetailTabs<Tab extends DetailTab>({
  tabs,
  value,
  onChange,
  children,
}: {
  tabs: readonly Tab[];
  value: Tab;
  onChange: (tab: Tab) => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Tabs
      label={t("equipment-detail.tabs.label")}
      value={value}
      tabs={tabs.map((tab) => ({ value: tab, label: tabLabel(t, tab) }))}
      onChange={onChange}
    >
      {children}
    </Tabs>
  );
}

function tabLabel(t: TFunction, tab: DetailTab): string {
  switch (tab) {
    case "overview":
      return t("equipment-detail.tabs.overview");
    case "history":
      return t("equipment-detail.tabs.history");
    case "notes":
      return t("equipment-detail.tabs.notes");
    case "service":
      return t("equipment-detail.tabs.service");
    case "fuel":
      return t("equipment-detail.tabs.fuel");
  }
}
