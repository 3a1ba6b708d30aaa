import { FlaskConical } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";
import { Brand } from "#/shared/ui/brand";
import { LanguageSwitch } from "#/shared/language-switch";

/** A header without navigation, like a payment page; marks the test. */
export function SandboxHeader() {
  const { t } = useTranslation();
  return (
    <header className="flex items-center justify-between gap-4">
      <div className="flex items-center gap-3">
        <Brand />
        {/* Hidden on a phone; the page says so too. */}
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
