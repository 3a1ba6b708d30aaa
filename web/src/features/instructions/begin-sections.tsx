import { useTranslation } from "react-i18next";
import { SignInSample } from "./crew-samples";
import { GoTo, GuideSection, Steps, Terms } from "./guide-parts";
import { guide } from "./sections";
import { TilesSample } from "./tiles-sample";

export function BeginSections() {
  const { t } = useTranslation();
  return (
    <>
      <GuideSection {...guide.start} title={t(guide.start.title)}>
        <p>{t("instructions.start.text")}</p>
        <Steps
          items={[
            t("instructions.start.add"),
            t("instructions.start.operators"),
            t("instructions.start.review"),
            t("instructions.start.serviced"),
          ]}
        />
        <TilesSample />
        <GoTo to="/add-equipment">{t("shell.titles.addEquipment")}</GoTo>
      </GuideSection>
      <GuideSection {...guide.signIn} title={t(guide.signIn.title)}>
        <p>{t("instructions.signIn.text")}</p>
        <Terms
          items={[
            { term: t("instructions.signIn.ownerTerm"), text: t("instructions.signIn.owner") },
            { term: t("instructions.signIn.managerTerm"), text: t("instructions.signIn.manager") },
            {
              term: t("instructions.signIn.operatorTerm"),
              text: t("instructions.signIn.operator"),
            },
            {
              term: t("instructions.signIn.businessTerm"),
              text: t("instructions.signIn.business"),
            },
          ]}
        />
        <SignInSample />
        <p>{t("instructions.signIn.case")}</p>
        <p>{t("instructions.signIn.remember")}</p>
        <p>{t("instructions.signIn.wrong")}</p>
      </GuideSection>
      <GuideSection {...guide.install} title={t(guide.install.title)}>
        <p>{t("instructions.install.text")}</p>
        <Terms
          items={[
            {
              term: t("instructions.install.androidTerm"),
              text: t("instructions.install.android"),
            },
            { term: t("instructions.install.iphoneTerm"), text: t("instructions.install.iphone") },
            {
              term: t("instructions.install.computerTerm"),
              text: t("instructions.install.computer"),
            },
          ]}
        />
        <p>{t("instructions.install.operators")}</p>
      </GuideSection>
    </>
  );
}
