import { useTranslation } from "react-i18next";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { StatusBadge } from "#/shared/ui/status-badge";
import { ServiceSample } from "./service-sample";
import { GoTo, GuideSection, SubTitle, Terms } from "./guide-parts";
import { guide } from "./sections";

export function EquipmentSections() {
  const { t } = useTranslation();
  return (
    <>
      <GuideSection {...guide.equipment} title={t(guide.equipment.title)}>
        <p>{t("instructions.equipment.text")}</p>
        <Terms
          items={[
            { term: t("equipment-form.fields.unit"), text: t("instructions.equipment.unit") },
            {
              term: t("equipment-form.fields.currentUsage"),
              text: t("instructions.equipment.usage"),
            },
            {
              term: t("equipment-form.fields.threshold"),
              text: t("instructions.equipment.lifespan"),
            },
            { term: t("equipment.columns.parts"), text: t("instructions.equipment.parts") },
          ]}
        />
        <p>{t("instructions.equipment.limit")}</p>
        <GoTo to="/equipment-list">{t("shell.titles.equipmentList")}</GoTo>
      </GuideSection>
      <GuideSection {...guide.meters} title={t(guide.meters.title)}>
        <p>{t("instructions.meters.increase")}</p>
        <p>{t("instructions.meters.reading")}</p>
        <p>{t("instructions.meters.correct")}</p>
        <p>{t("instructions.meters.replaced")}</p>
        <p>{t("instructions.meters.scales")}</p>
      </GuideSection>
      <ServiceSection />
    </>
  );
}

function ServiceSection() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return (
    <GuideSection {...guide.service} title={t(guide.service.title)}>
      <p>{t("instructions.service.text")}</p>
      <Terms
        items={[
          {
            term: t("equipment-form.fields.serviceInterval"),
            text: t("instructions.service.interval"),
          },
          { term: t("equipment-form.fields.schedule"), text: t("instructions.service.schedule") },
          { term: t("equipment-detail.tasks.title"), text: t("instructions.service.tasks") },
          { term: t("equipment.actions.markServiced"), text: t("instructions.service.serviced") },
        ]}
      />
      <ServiceSample />
      <SubTitle>{t("instructions.service.statusTitle")}</SubTitle>
      <Terms
        items={[
          {
            term: <StatusBadge severity="good">{labels.badge("good")}</StatusBadge>,
            text: t("instructions.service.good"),
          },
          {
            term: <StatusBadge severity="soon">{labels.badge("approaching_service")}</StatusBadge>,
            text: t("instructions.service.soon"),
          },
          {
            term: <StatusBadge severity="due">{labels.badge("time_for_service")}</StatusBadge>,
            text: t("instructions.service.due"),
          },
          {
            term: <StatusBadge severity="over">{labels.badge("overdue")}</StatusBadge>,
            text: t("instructions.service.over"),
          },
        ]}
      />
      <p>{t("instructions.service.worst")}</p>
      <p className="text-muted">{t("instructions.service.list")}</p>
    </GuideSection>
  );
}
