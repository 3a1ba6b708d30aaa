import { FlaskConical } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";
import { Brand } from "#/shared/ui/brand";
import { LanguageSwitch } from "#/shared/ui/language-switch";

/** Whose page it is, and that it is a test; like a payment page it has no way into the application. */
export function SandboxHeader() {
  const { t } = useTranslation();
  return (
    <header className="flex items-center justify-between gap-4">
      <div className="flex items-center gap-3">
        <Brand />
        {/* A phone has no room for it; the page says so too. */}
        <span className="max-sm:hidden">
          <Badge icon={<FlaskConical aria-hidden className="size-3.5" />}>
            {t("sandbox.badge")}
          </Badge>
        </span>
      </div>
      <LanguageSwitch />
    </header>
  );
}
