import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { promptInstall, useInstallWay } from "#/shared/install/install-store";
import { buttonClass, type ButtonLook } from "#/shared/ui/button-class";

export const downloadSectionId = "download-app";

const quiet: ButtonLook = { variant: "quiet", size: "large" };

/** Installs where the browser does that; elsewhere leads to the steps. Nothing once it is installed. */
export function InstallButton({ look = quiet }: { look?: ButtonLook }) {
  const { t } = useTranslation();
  const way = useInstallWay();
  if (way === "installed") return null;
  const content = (
    <>
      <Download aria-hidden className="size-5" />
      {t("landing.install.button")}
    </>
  );
  if (way === "prompt") {
    return (
      <button type="button" className={buttonClass(look)} onClick={() => void promptInstall()}>
        {content}
      </button>
    );
  }
  return (
    <a href={`#${downloadSectionId}`} className={buttonClass(look)}>
      {content}
    </a>
  );
}
