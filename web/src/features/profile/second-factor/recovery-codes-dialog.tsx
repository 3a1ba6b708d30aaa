import { Copy, Download, Printer } from "lucide-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { download } from "#/shared/csv/download";
import { OnPaper } from "#/shared/print/on-paper";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";
import { useCopy } from "#/shared/use-copy";

/** Shows the codes once; closing without saving them needs a second press. */
export function RecoveryCodesDialog({
  codes,
  onClose,
}: {
  codes: readonly string[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const copy = useCopy();
  const [saved, setSaved] = useState(false);
  const [warned, setWarned] = useState(false);
  const [printing, setPrinting] = useState(false);
  const printed = useCallback(() => setPrinting(false), []);
  const account = useSession()?.email ?? "";
  const heading = t("second-factor.codes.fileTitle", { account });
  const text = `${heading}\n\n${codes.join("\n")}\n`;
  const leave = () => {
    if (saved || warned) onClose();
    else setWarned(true);
  };
  return (
    <Dialog
      open
      onOpenChange={leave}
      title={t("second-factor.codes.shown")}
      description={t("second-factor.codes.shownText")}
      footer={
        <Button variant="primary" onClick={leave}>
          {t("second-factor.codes.finish")}
        </Button>
      }
    >
      <div className="space-y-4">
        <ol className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-card border border-line bg-sunken px-4 py-3 font-mono">
          {codes.map((code) => (
            <li key={code} className="whitespace-nowrap">
              {code}
            </li>
          ))}
        </ol>
        <div className="flex flex-wrap gap-2 max-md:[&>*]:w-full">
          <Button
            onClick={() =>
              void copy(text, t("second-factor.copied")).then((copied) =>
                setSaved((before) => before || copied),
              )
            }
          >
            <Copy aria-hidden className="size-4" />
            {t("second-factor.codes.copy")}
          </Button>
          <Button
            onClick={() => {
              download(t("second-factor.codes.file"), text, "text/plain");
              setSaved(true);
            }}
          >
            <Download aria-hidden className="size-4" />
            {t("second-factor.codes.download")}
          </Button>
          <Button
            onClick={() => {
              setPrinting(true);
              setSaved(true);
            }}
          >
            <Printer aria-hidden className="size-4" />
            {t("second-factor.codes.print")}
          </Button>
        </div>
        {warned && !saved && <Notice tone="danger">{t("second-factor.codes.notKept")}</Notice>}
      </div>
      {printing && (
        <OnPaper paper="portrait" fileName={heading} onDone={printed}>
          <h1>{heading}</h1>
          <p>{t("second-factor.codes.text")}</p>
          <ol>
            {codes.map((code) => (
              <li key={code} className="font-mono">
                {code}
              </li>
            ))}
          </ol>
        </OnPaper>
      )}
    </Dialog>
  );
}
