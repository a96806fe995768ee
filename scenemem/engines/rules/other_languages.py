"""Words that only carry a sentence, in languages other than English.

For the languages that put spaces between words, their stop words, and the small words that tie two
nouns into one name. For Chinese and Japanese, the characters and the words of Han characters that
hold a sentence together: no topic starts, ends or goes on across one. Words that are rare outside
talk are left to counting.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FOREIGN_STOP: Final[dict[str, frozenset[str]]] = {
    "es": _words(
        """
        de la que el en y a los se del las un por con no una su para es al lo como más pero sus le
        ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde
        todo nos durante todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos
        qué unos yo otro otras otra él tanto esa estos mucho nada muchos cual poco ella estar estas
        algo nosotros mi mis tú te ti tu tus ellas soy eres somos son estoy está están era fue ser
        tengo tiene tener hace hacer voy va vamos ir puede puedo quiero gusta bien hoy ayer mañana
        ahora siempre nunca gracias hola he ha han había día días año años cosa cosas vez veces
        """
    ),
    "fr": _words(
        """
        de la le et les des en un une du que est pour qui dans a par plus pas au sur ne se ce il
        sont avec son ils mais comme ou si leur y dont je tu elle nous vous on me te lui moi toi
        mon ma mes ton ta tes sa ses notre nos votre vos cette ces cet être avoir ai as avons avez
        ont suis es sommes êtes était fait faire va vais aller très bien aussi tout tous toute
        toutes rien quand où quoi comment pourquoi oui non aujourd'hui hier demain maintenant
        toujours jamais merci bonjour salut peu beaucoup encore déjà même c'est j'ai n'est qu'il
        d'un d'une l'on jour jours an ans chose choses fois
        """
    ),
    "de": _words(
        """
        der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an
        werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum
        war haben nur oder aber vor zur bis mehr durch man sein wurde sei ich du wir ihr mich dich
        uns euch mir dir mein meine meinen meiner dein deine ihre seine unser habe hast bin bist
        seid waren hatte kann können muss müssen will wollen soll sollen möchte gehe gehen geht
        ganz sehr gut schon immer nie heute gestern morgen jetzt da dann wenn weil denn was wer wo
        warum ja nein danke hallo etwas nichts alle alles viel viele wieder tag tage jahr jahre mal
        """
    ),
    "it": _words(
        """
        di e il la che a in un è per una non sono da con si del le i della al lo gli come ma più o
        anche nel ha mi ci se ho hai abbiamo hanno questo questa quello quella io tu lui lei noi
        voi loro mio mia tuo tua suo sua nostro essere avere fare vado va andare molto bene tutto
        tutti niente quando dove cosa perché sì oggi ieri domani ora sempre mai grazie ciao poco
        già ancora stato sta giorno giorni anno anni alla dei delle dalla sul
        """
    ),
    "pt": _words(
        """
        de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele
        das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela
        entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa
        num nem suas meu às minha têm numa pelos elas havia seja qual será nós tenho lhe deles
        essas esses vou vai bem hoje ontem amanhã agora sempre nunca obrigado obrigada olá fazer
        dia dias ano anos coisa vez
        """
    ),
    "nl": _words(
        """
        de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om
        hem dan zou of wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar
        naar heb hoe heeft hebben deze u want nog zal me zij nu ge geen omdat iets worden toch al
        waren veel meer doen toen moet ben zonder kan hun dus alles onder ja eens hier wie werd
        altijd wordt wezen kunnen ons zelf tegen na reeds wil kon niets uw iemand geweest andere ga
        gaan heel goed vandaag gisteren morgen bedankt hallo dag dagen jaar jaren
        """
    ),
    "ru": _words(
        """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее
        мне было вот от меня еще нет о из ему теперь когда даже ну вдруг ли если уже или ни быть
        был него до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть
        надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда
        кто этот того потому этого какой совсем ним здесь этом один почти мой тем чтобы нее сейчас
        были куда зачем всех никогда можно при наконец два об другой хоть после над больше тот
        через эти нас про всего них какая много разве три эту моя свою этой перед иногда лучше чуть
        том нельзя такой им более всегда конечно всю между очень мои моей моего сегодня вчера
        завтра спасибо привет это хочу буду день дня год лет
        """
    ),
    "sv": _words(
        """
        och det att i en jag hon som han på den med var sig för så till är men ett om hade de av
        icke mig du henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde
        något från ut när efter upp vi dem vara vad över än dig kan sina här ha mot alla under
        någon eller allt mycket sedan ju denna själv detta åt utan varit hur ingen mitt ni bli blev
        oss din dessa några deras blir mina samma vilken er sådan vår blivit dess inom mellan idag
        igår imorgon tack hej ska går
        """
    ),
    "pl": _words(
        """
        i w na z do nie się to że a o jest co jak po za od tak ale czy już tylko ja ty on ona my wy
        oni mnie mi mój moja moje twój jego jej ich nas was dla przez przy bo gdy kiedy gdzie kto
        być był była było jestem jesteś są mam masz ma mamy może można bardzo dobrze też także
        jeszcze zawsze nigdy dziś dzisiaj wczoraj jutro teraz dziękuję cześć ten ta te tego tej tym
        tych ze we aby żeby lub oraz dzień rok lat
        """
    ),
    "tr": _words(
        """
        ve bir bu da de ne için ile çok ben sen o biz siz onlar mi mı mu mü var yok ama gibi daha
        en her şey kadar sonra önce şimdi bugün dün yarın evet hayır teşekkürler merhaba benim
        senin onun bana sana ona beni seni onu ki ya veya değil olarak olan oldu olur
        """
    ),
    "ar": _words(
        """
        في من على إلى عن مع هذا هذه ذلك تلك التي الذي أن إن كان كانت لا ما لم لن قد هو هي هم نحن
        أنا أنت كل بعد قبل عند حتى ثم أو و يا لي له لها لنا جدا اليوم أمس غدا نعم شكرا مرحبا
        """
    ),
}

FOREIGN_LINKS: Final[dict[str, frozenset[str]]] = {
    "es": _words("de del"),
    "fr": _words("de du des"),
    "it": _words("di del della"),
    "pt": _words("de do da"),
}

# Words behind which a noun stands: articles and possessives.
FOREIGN_ARTICLES: Final[dict[str, frozenset[str]]] = {
    "es": _words("el la los las un una unos unas al del mi mis tu tus su sus"),
    "fr": _words("le la les un une des du au aux mon ma mes ton ta tes son sa ses ce cette ces"),
    "it": _words("il lo la i gli le un uno una del della al alla mio mia tuo tua suo sua"),
    "pt": _words("o a os as um uma do da no na ao meu minha teu tua seu sua"),
    "nl": _words("de het een mijn jouw zijn haar ons onze"),
}

FOREIGN_AND: Final[dict[str, str]] = {
    "es": "y", "fr": "et", "de": "und", "it": "e", "pt": "e", "nl": "en", "ru": "и", "sv": "och",
    "pl": "i", "tr": "ve", "ar": "و",
}  # fmt: skip

HAN_GLUE_WORDS: Final = _words(
    """
    一门 一座 主意 计划
    一道 没法 无法 一家 一部 一本 一场 一位 一名 一件 一只 今天 明天 昨天 后天 前天 今晚 昨晚 最近
    现在 刚才 刚刚 以后 以前 之前 之后 然后 后来 时候 有时 平时 一直 已经 正在 早上 晚上 下午 上午
    中午 周末 星期 每天 一天 几天 第一 第二 第三 第四 第五 第六 第七 天天 一次 下次 上次 这次 每次
    可以 可能 应该 需要 必须 能够 觉得 感觉 认为 知道 希望 想要 喜欢 打算 准备 开始 继续 建议 推荐
    告诉 谢谢 感谢 非常 特别 真的 真是 比较 十分 有点 一点 一些 一下 一个 一种 一起 一样 一定 一般
    完全 几乎 差不多 总是 经常 常常 这个 那个 这些 那些 这样 那样 这里 那里 什么 怎么 怎样 为什么
    哪里 哪个 多少 如何 因为 所以 但是 不过 而且 如果 虽然 或者 还是 还有 以及 并且 只是 除了 另外
    此外 同时 甚至 尤其 无论 即使 既然 自己 我们 你们 他们 她们 大家 别人 事情 东西 问题 方面 时间
    地方 样子 内容 方式 方法 过程 结果 原因 情况 机会 没有 不是 不会 不能 不要 就是 也是 都是 不太
    不同 不断 不如 不知 很多 许多 更多 其他 关于 对于 通过 进行 成为 变得 起来 出来 下来 过来 回来
    进去 看到 听到 遇到 想到 收到 做到 感到 得到 达到 学到 找到 不错 很好 太好 好的 当然 其实 确实
    可是 真棒 加油 你好 您好 再见 晚安 早安 哈哈 没错 是的 对了 话说 帮助 听起来 分享 尝试 重要
    开心 高兴 快乐 愉快 美好 美丽 漂亮 舒服 温暖 有趣 有意思 深刻 简单 容易 困难 复杂 有用 有效
    适合 合适 丰富 独特 精彩 优秀 厉害 可爱 可怕 幸运 幸福 难过 难忘 伤心 紧张 放松 轻松 忙碌 累
    了解 理解 享受 感受 体会 领会 体验 鼓励 支持 感动 珍惜 提高 提升 改善 增加 增强 减少 保持 坚持
    努力 注意 选择 决定 考虑 相信 发现 认识 记得 忘记 明白 清楚 期待 欣赏 介绍 提供 解决 克服 面对
    处理 参加 参与 完成 实现 获得 结束 聊天 聊聊 交流 沟通 谈谈 陪伴 伴侣 习惯 水平 能力 经历 经验
    收获 意义 价值 生活 日常 重新 慢慢 渐渐 今日 昨日 明日 毎日 時間 場所 一緒 本当 大好 大変 自分
    今度 時々 少し 全部 仕方 気持 我們 時候 覺得 喜歡 沒有 這個 那個 因為 還有 已經 應該 謝謝
    非常好 看看 试试 想想 说说 学学 走走 尝尝
    """
)
HAN_GLUE: Final = frozenset(
    "的了着过是在有和与及或就也都还又很太更最这那哪我你您他她它们个些吗呢吧啊呀哦"
    "嗯哈啦嘛么之其把被让给对向从到为以于而但并不没别要会能可想去来说看做吃听叫用"
    "找得地里上下中前后时每各该此只才再已将等如若则因所什怎谁几多少非真好点"
)
