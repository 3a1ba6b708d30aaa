import { useTranslation } from "react-i18next";
import { PageHeader } from "#/shared/ui/page-header";

/** Support staff belong to no company, so there is no dashboard to show. */
export function StaffHome() {
  const { t } = useTranslation();
  return <PageHeader title={t("shell.titles.support")} description={t("shell.staffHome")} />;
}
