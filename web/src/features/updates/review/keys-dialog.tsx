import { Fragment, useId } from "react";
import { useTranslation } from "react-i18next";
import { key } from "#/i18n/key";
import { Dialog } from "#/shared/ui/dialog";
import { Switch } from "#/shared/ui/toggle";
import { setKeysOn, useKeysOn } from "./keys-choice";

const rows = [
  [["J", "↓"], key("review.keys.next")],
  [["K", "↑"], key("review.keys.previous")],
  [["X"], key("review.keys.select")],
  [["A"], key("review.keys.apply")],
  [["R"], key("review.keys.reject")],
  [["E"], key("review.keys.correct")],
  [["M"], key("review.keys.move")],
  [["U"], key("review.keys.undo")],
  [["Shift + A"], key("review.keys.all")],
  [["?"], key("review.keys.help")],
] as const;

export function KeysDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const on = useKeysOn();
  const id = useId();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("review.keys.title")}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-5 gap-y-2.5">
        {rows.map(([keys, text]) => (
          <Fragment key={text}>
            <dt className="flex items-baseline gap-1.5">
              {keys.map((name, index) => (
                <Fragment key={name}>
                  {index > 0 && <span className="text-sm text-muted">{t("review.keys.or")}</span>}
                  <kbd className="rounded-control border border-control-line bg-sunken px-1.5 py-0.5 font-mono text-sm">
                    {name}
                  </kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </Fragment>
        ))}
      </dl>
      <div className="mt-5 flex items-start gap-3 border-t border-line pt-4">
        <Switch id={id} checked={on} onChange={(event) => setKeysOn(event.target.checked)} />
        <div>
          <label htmlFor={id} className="cursor-pointer font-semibold">
            {t("review.keys.on")}
          </label>
          <p className="text-sm text-muted">{t("review.keys.onHint")}</p>
        </div>
      </div>
    </Dialog>
  );
}
