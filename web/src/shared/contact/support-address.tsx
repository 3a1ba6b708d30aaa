import { useTranslation } from "react-i18next";
import { supportEmail } from "#/shared/support-email";
import { Notice } from "#/shared/ui/notice";

/** The support address for mails without the form; explains a missing address. */
export function SupportAddress() {
  const { t } = useTranslation();
  if (!supportEmail) {
    return (
      <div className="mt-4">
        <Notice>{t("contact.noAddress")}</Notice>
      </div>
    );
  }
  return (
    <p className="mt-4 text-muted">
      {t("contact.direct")}{" "}
      <a
        href={`mailto:${supportEmail}`}
        className="font-semibold break-all text-accent underline underline-offset-3"
      >
        {supportEmail}
      </a>
    </p>
  );
}
