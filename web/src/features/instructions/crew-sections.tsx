import { useTranslation } from "react-i18next";
import { GoTo, GuideSection, Steps, Terms } from "./guide-parts";
import { guide } from "./sections";

/** The people in the field and what they send. */
export function CrewSections() {
  const { t } = useTranslation();
  return (
    <>
      <GuideSection {...guide.operators} title={t(guide.operators.title)}>
        <p>{t("instructions.operators.text")}</p>
        <Steps
          items={[
            t("instructions.operators.password"),
            t("instructions.operators.add"),
            <>
              {t("instructions.operators.signIn")}
              <SampleAccess />
            </>,
            t("instructions.operators.report"),
          ]}
        />
        <p>{t("instructions.operators.offline")}</p>
        <p>{t("instructions.operators.ownPassword")}</p>
        <p>{t("instructions.operators.leave")}</p>
        <GoTo to="/employees">{t("operators.title")}</GoTo>
      </GuideSection>
      <GuideSection {...guide.updates} title={t(guide.updates.title)}>
        <p>{t("instructions.updates.text")}</p>
        <Terms
          items={[
            { term: t("updates.queue.apply"), text: t("instructions.updates.apply") },
            { term: t("updates.queue.reject"), text: t("instructions.updates.reject") },
            { term: t("instructions.updates.flagsTerm"), text: t("instructions.updates.flags") },
          ]}
        />
        <p>{t("instructions.updates.below")}</p>
        <p>{t("instructions.updates.auto")}</p>
      </GuideSection>
    </>
  );
}

/** What an operator is told, as it would stand on a slip of paper. */
function SampleAccess() {
  const { t } = useTranslation();
  const address = `${window.location.host}/employee-login`;
  return (
    <dl className="mt-2 grid w-fit grid-cols-[auto_auto] gap-x-6 gap-y-1 rounded-card border border-line bg-raised px-4 py-3 text-sm">
      <dt className="text-muted">{t("instructions.operators.address")}</dt>
      <dd className="font-mono break-all">{address}</dd>
      <dt className="text-muted">{t("operators.columns.username")}</dt>
      <dd className="font-mono">maria4821</dd>
      <dt className="text-muted">{t("operators.settings.operatorPassword")}</dt>
      <dd>{t("instructions.operators.samplePassword")}</dd>
    </dl>
  );
}
