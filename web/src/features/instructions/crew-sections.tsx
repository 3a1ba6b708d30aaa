import { useTranslation } from "react-i18next";
import { AccessCardSample, FieldSample, ReviewSample } from "./crew-samples";
import { GoTo, GuideSection, Steps, SubTitle, Terms } from "./guide-parts";
import { RolesTable } from "./roles-table";
import { guide } from "./sections";

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
            t("instructions.operators.signIn"),
          ]}
        />
        <AccessCardSample />
        <p>{t("instructions.operators.cards")}</p>
        <p>{t("instructions.operators.ownPassword")}</p>
        <p>{t("instructions.operators.leave")}</p>
        <GoTo to="/employees">{t("shell.titles.operators")}</GoTo>
      </GuideSection>
      <FieldSection />
      <GuideSection {...guide.updates} title={t(guide.updates.title)}>
        <p>{t("instructions.updates.text")}</p>
        <ReviewSample />
        <Terms
          items={[
            { term: t("review.queue.apply"), text: t("instructions.updates.apply") },
            { term: t("review.queue.reject"), text: t("instructions.updates.reject") },
            { term: t("instructions.updates.flagsTerm"), text: t("instructions.updates.flags") },
          ]}
        />
        <p>{t("instructions.updates.below")}</p>
        <p>{t("instructions.updates.auto")}</p>
      </GuideSection>
      <GuideSection {...guide.people} title={t(guide.people.title)}>
        <p>{t("instructions.people.text")}</p>
        <RolesTable />
        <p>{t("instructions.people.add")}</p>
        <p>{t("instructions.people.remove")}</p>
      </GuideSection>
    </>
  );
}

function FieldSection() {
  const { t } = useTranslation();
  return (
    <GuideSection {...guide.field} title={t(guide.field.title)}>
      <p>{t("instructions.field.text")}</p>
      <Steps
        items={[
          t("instructions.field.choose"),
          t("instructions.field.reading"),
          t("instructions.field.check"),
          t("instructions.field.more"),
          t("instructions.field.submit"),
        ]}
      />
      <FieldSample />
      <SubTitle>{t("instructions.field.offlineTitle")}</SubTitle>
      <p>{t("instructions.field.offline")}</p>
      <p>{t("instructions.field.install")}</p>
      <p>{t("instructions.field.logout")}</p>
      <p>{t("instructions.field.profile")}</p>
    </GuideSection>
  );
}
