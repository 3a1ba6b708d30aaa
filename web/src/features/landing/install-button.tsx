import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { buttonClass, type ButtonLook } from "#/shared/ui/button-class";

export const downloadSectionId = "download-app";

/** Links to the steps until the browser offers to install. */
export function InstallButton() {
  const { t } = useTranslation();
  const look: ButtonLook = { variant: "quiet", size: "large" };
  return (
    <>
      <a href={`#${downloadSectionId}`} data-install="steps" className={buttonClass(look)}>
        <Download aria-hidden className="size-5" />
        {t("landing.install.button")}
      </a>
      <PromptButton look={look} />
    </>
  );
}

/** Shown if the browser offers to install. */
export function PromptButton({ look }: { look: ButtonLook }) {
  const { t } = useTranslation();
  return (
    <button type="button" hidden data-install="prompt" className={buttonClass(look)}>
      <Download aria-hidden className="size-5" />
      {t("landing.install.button")}
    </button>
  );
}
