import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { InstallGuide } from "#/shared/install/install-way";
import { Badge } from "#/shared/ui/badge";
import { downloadSectionId, PromptButton } from "./install-button";
import { InstallSketch } from "./install-sketch";
import { SectionTitle } from "./section-title";

const guides: readonly InstallGuide[] = ["ios", "android", "computer"];

/** "Download App": the browser's install prompt if there is one, and the manual steps. */
export function LandingDownload() {
  const { t } = useTranslation();
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
          <PromptButton look={{ variant: "primary", size: "large" }} />
          <p
            role="status"
            hidden
            data-install="installed"
            className="flex items-center gap-2 text-lg font-semibold"
          >
            <CircleCheck aria-hidden className="size-6 text-accent" />
            {t("landing.install.installed")}
          </p>
        </div>
        <ul className="mt-9 grid gap-4 lg:grid-cols-3">
          {guides.map((guide) => (
            <Guide key={guide} guide={guide} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Guide({ guide }: { guide: InstallGuide }) {
  const { t } = useTranslation();
  const { title, steps, macSteps } = useGuideText(guide);
  return (
    <li
      data-guide={guide}
      className="flex flex-col rounded-card border border-line bg-raised p-5 md:p-6"
    >
      <div className="mb-5 flex h-40 items-center justify-center rounded-control bg-surface">
        <InstallSketch guide={guide} />
      </div>
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-semibold">
        {title}
        <span hidden data-this-device className="contents">
          <Badge tone="accent">{t("landing.install.thisDevice")}</Badge>
        </span>
      </h3>
      <Steps steps={steps} mac={false} />
      {macSteps && <Steps steps={macSteps} mac />}
    </li>
  );
}

function Steps({ steps, mac }: { steps: readonly string[]; mac: boolean }) {
  return (
    <ol hidden={mac} data-mac={mac} className="mt-3 space-y-2.5">
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
  );
}

interface GuideText {
  title: string;
  steps: readonly string[];
  macSteps?: readonly string[];
}

function useGuideText(guide: InstallGuide): GuideText {
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
        steps: [t("landing.install.computer.bar"), t("landing.install.computer.add"), last],
        macSteps: [
          t("landing.install.computer.macMenu"),
          t("landing.install.computer.macAdd"),
          last,
        ],
      };
  }
}
