import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { useSession } from "#/session/session";
import { useTrialLength } from "#/shared/words/trial";
import { GoTo, GuideSection, Steps, SubTitle } from "./guide-parts";
import { PlanTable } from "./plan-table";
import { guide } from "./sections";

export function AccountSections() {
  const { t } = useTranslation();
  const owns = useSession()?.role === "owner";
  return (
    <>
      <GuideSection {...guide.password} title={t(guide.password.title)}>
        <p>{t("instructions.password.own")}</p>
        <p>{t("instructions.password.confirm")}</p>
        <GoTo to="/profile">{t("shell.titles.profile")}</GoTo>
        <SubTitle>{t("instructions.password.forgotten")}</SubTitle>
        <Steps
          items={[
            t("instructions.password.questions"),
            t("instructions.password.start"),
            t("instructions.password.answer"),
          ]}
        />
        <p>{t("instructions.password.without")}</p>
        <p>{t("instructions.password.operators")}</p>
        <GoTo to="/security-questions">{t("shell.titles.securityQuestions")}</GoTo>
      </GuideSection>
      <GuideSection {...guide.audit} title={t(guide.audit.title)}>
        <p>{t("instructions.audit.text")}</p>
        <p>{t("instructions.audit.filter")}</p>
        {owns ? (
          <GoTo to="/audit-log">{t("shell.titles.auditLog")}</GoTo>
        ) : (
          <p className="text-muted">{t("instructions.audit.ownerOnly")}</p>
        )}
      </GuideSection>
      <GuideSection {...guide.settings} title={t(guide.settings.title)}>
        <p>{t("instructions.settings.company")}</p>
        <p>{t("instructions.settings.device")}</p>
        <GoTo to="/settings">{t("shell.titles.settings")}</GoTo>
      </GuideSection>
      <PlansSection />
    </>
  );
}

function PlansSection() {
  const { t } = useTranslation();
  const trial = useTrialLength(useQuery(planCatalogueQuery).data?.trialDays);
  return (
    <GuideSection {...guide.plans} title={t(guide.plans.title)}>
      {trial && <p>{t("instructions.plans.trial", { trial })}</p>}
      <p>{t("instructions.plans.text")}</p>
      <PlanTable />
      <p>{t("instructions.plans.change")}</p>
      <p>{t("instructions.plans.ended")}</p>
      <GoTo to="/subscription">{t("shell.titles.subscription")}</GoTo>
      <p>{t("instructions.plans.help")}</p>
      <GoTo to="/contact">{t("shell.titles.contact")}</GoTo>
    </GuideSection>
  );
}
