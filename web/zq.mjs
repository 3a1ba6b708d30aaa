import { chromium } from "@playwright/test";
const base="http://127.0.0.1:18080", out="/tmp/shots/t/";
const log=(await import("node:fs")).readFileSync("/tmp/demo.log","utf8");
const owner=log.match(/\s(\S+@\S+)\s+(\S+)/);
const b=await chromium.launch({executablePath:"/usr/bin/chromium-headless-shell"});
for (const [w,h,lang,scheme] of [[1440,900,"en-US","dark"],[390,844,"es-MX","light"]]) {
 const c=await b.newContext({viewport:{width:w,height:h},locale:lang,colorScheme:scheme,hasTouch:w<500});
 const p=await c.newPage(); const shot=(n)=>p.screenshot({path:`${out}${n}-${w}.png`});
 await p.goto(base+"/login"); await p.locator("input").nth(0).fill(owner[1]); await p.locator("input[type=password]").fill(owner[2]); await p.keyboard.press("Enter");
 await p.waitForURL(base+"/"); await p.waitForTimeout(2500); await shot("home");
 await p.keyboard.press("Control+k"); await p.waitForTimeout(1500); await p.keyboard.type("exc"); await p.waitForTimeout(1500); await shot("palette"); await p.keyboard.press("Escape"); await p.waitForTimeout(300);
 await p.keyboard.press("?"); await p.waitForTimeout(1200); await shot("keys"); await p.keyboard.press("Escape");
 await p.goto(base+"/add-equipment"); await p.waitForTimeout(1500); await shot("form");
 await p.goto(base+"/service"); await p.waitForTimeout(1800); await shot("service");
 await p.goto(base+"/fuel"); await p.waitForTimeout(1800); await shot("fuel");
 await p.goto(base+"/employees"); await p.waitForTimeout(1800); await shot("people");
 await c.close();
}
await b.close();
