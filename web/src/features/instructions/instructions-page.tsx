import { Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { PageHeader } from "#/shared/ui/page-header";
import { AccountSections } from "./account-sections";
import { BeginSections } from "./begin-sections";
import { Contents } from "./contents";
import { CrewSections } from "./crew-sections";
import { EquipmentSections } from "./equipment-sections";
import { RecordSections } from "./record-sections";

/** The whole guide on one page, for printing and the browser's search. */
export function InstructionsPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader
        title={t("shell.titles.instructions")}
        description={t("instructions.subtitle")}
        actions={
          <Button onClick={() => window.print()}>
            <Printer aria-hidden className="size-4" />
            {t("instructions.print")}
          </Button>
        }
      />
      <div className="grid items-start gap-x-12 gap-y-8 lg:grid-cols-[15rem_minmax(0,1fr)] print:block">
        <Contents />
        <div className="min-w-0">
          <BeginSections />
          <EquipmentSections />
          <CrewSections />
          <RecordSections />
          <AccountSections />
        </div>
      </div>
    </>
  );
}
