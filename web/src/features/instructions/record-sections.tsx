import { useTranslation } from "react-i18next";
import { GoTo, GuideSection, Terms } from "./guide-parts";
import { FuelSample, HistorySample } from "./record-samples";
import { guide } from "./sections";

export function RecordSections() {
  const { t } = useTranslation();
  return (
    <>
      <GuideSection {...guide.fuel} title={t(guide.fuel.title)}>
        <p>{t("instructions.fuel.text")}</p>
        <p>{t("instructions.fuel.analytics")}</p>
        <FuelSample />
        <p>{t("instructions.fuel.reset")}</p>
      </GuideSection>
      <GuideSection {...guide.history} title={t(guide.history.title)}>
        <p>{t("instructions.history.text")}</p>
        <HistorySample />
        <p>{t("instructions.history.notes")}</p>
      </GuideSection>
      <GuideSection {...guide.exports} title={t(guide.exports.title)}>
        <p>{t("instructions.exports.text")}</p>
        <p>{t("instructions.exports.print")}</p>
      </GuideSection>
      <GuideSection {...guide.retire} title={t(guide.retire.title)}>
        <p>{t("instructions.retire.text")}</p>
        <Terms
          items={[
            { term: t("equipment-dialogs.retire.option"), text: t("instructions.retire.retire") },
            { term: t("equipment-dialogs.delete.option"), text: t("instructions.retire.delete") },
            { term: t("retired.restore.action"), text: t("instructions.retire.restore") },
          ]}
        />
        <GoTo to="/retired-equipment">{t("shell.titles.retired")}</GoTo>
      </GuideSection>
    </>
  );
}
