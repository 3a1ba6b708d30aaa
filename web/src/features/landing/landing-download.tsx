import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInstallWay } from "#/shared/install/install-store";
import { guideFor, type InstallGuide } from "#/shared/install/install-way";
import { Badge } from "#/shared/ui/badge";
import { downloadSectionId, InstallButton } from "./install-button";
import { InstallSketch } from "./install-sketch";
import { SectionTitle } from "./section-title";

const guides: readonly InstallGuide[] = ["ios", "android", "computer"];

/** "Download App": the browser's own prompt where there is one, and the steps for everyone else. */
export function LandingDownload() {
  const { t } = useTranslation();
  const way = useInstallWay();
  const own = guideFor(way, navigator.userAgent);
  return (
    <section
      id={downloadSectionId}
      className="scroll-mt-4 border-t border-line bg-sunken"
      aria-labelledby="download-title"
    >
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-24">
        <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
          <div className="max-w-[40rem]">
            <SectionTitle id="download-title">{t("landing.install.title")}</SectionTitle>
            <p className="mt-4 text-lg text-muted">{t("landing.install.text")}</p>
          </div>
          {way === "prompt" && <InstallButton look={{ variant: "primary", size: "large" }} />}
          {way === "installed" && (
            <p role="status" className="flex items-center gap-2 text-lg font-semibold">
              <CircleCheck aria-hidden className="size-6 text-accent" />
              {t("landing.install.installed")}
            </p>
          )}
        </div>
        <ul className="mt-9 grid gap-4 lg:grid-cols-3">
          {guides
            .toSorted((one, other) => Number(other === own) - Number(one === own))
            .map((guide) => (
              <Guide key={guide} guide={guide} own={guide === own} mac={way === "mac"} />
            ))}
        </ul>
      </div>
    </section>
  );
}

function Guide({ guide, own, mac }: { guide: InstallGuide; own: boolean; mac: boolean }) {
  const { t } = useTranslation();
  const { title, steps } = useGuideText(guide, mac);
  return (
    <li className="flex flex-col rounded-card border border-line bg-raised p-5 md:p-6">
      <div className="mb-5 flex h-40 items-center justify-center rounded-control bg-surface">
        <InstallSketch guide={guide} />
      </div>
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-semibold">
        {title}
        {own && <Badge tone="accent">{t("landing.install.thisDevice")}</Badge>}
      </h3>
      <ol className="mt-3 space-y-2.5">
        {steps.map((step, index) => (
          <li key={step} className="flex gap-3">
            <span
              aria-hidden
              className="mt-px inline-flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-bold text-accent"
            >
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
    </li>
  );
}

function useGuideText(guide: InstallGuide, mac: boolean): { title: string; steps: string[] } {
  const { t } = useTranslation();
  const last = t("landing.install.last");
  switch (guide) {
    case "ios":
      return {
        title: t("landing.install.ios.title"),
        steps: [t("landing.install.ios.share"), t("landing.install.ios.add"), last],
      };
    case "android":
      return {
        title: t("landing.install.android.title"),
        steps: [t("landing.install.android.menu"), t("landing.install.android.add"), last],
      };
    case "computer":
      return {
        title: t("landing.install.computer.title"),
        steps: mac
          ? [t("landing.install.computer.macMenu"), t("landing.install.computer.macAdd"), last]
          : [t("landing.install.computer.bar"), t("landing.install.computer.add"), last],
      };
  }
}
