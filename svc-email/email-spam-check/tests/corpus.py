"""Sample messages: wanted() and unwanted() yield (name, raw message) pairs, the same in each run.

Templates with a few fillings each, modeled on common kinds of mail. No sentence is from a real
message. Names, domains and numbers are invented.
"""

import base64
import quopri

DATE = "Sat, 21 Nov 2026 10:44:00 +0000"
PEOPLE = [("Anna", "Berg"), ("Tom", "Okafor"), ("Lucia", "Marini"), ("Peter", "Novak")]


def headers(sender, subject, extra=""):
    return (f"Received: from mail.{sender.split('@')[-1].strip('>')} by mx.example.net with ESMTPS id 1; {DATE}\n"
            f"From: {sender}\nTo: joe@example.net\nSubject: {encoded(subject)}\nDate: {DATE}\n"
            f"Message-ID: <{abs(sum(map(ord, subject)))}@{sender.split('@')[-1].strip('>')}>\nMIME-Version: 1.0\n{extra}")


def encoded(subject):
    return subject if subject.isascii() else f"=?UTF-8?B?{base64.b64encode(subject.encode()).decode()}?="


def plain(sender, subject, text, extra=""):
    body = quopri.encodestring(text.encode()).decode()
    return (headers(sender, subject, extra) + 'Content-Type: text/plain; charset="utf-8"\n'
            f"Content-Transfer-Encoding: quoted-printable\n\n{body}")


def html(sender, subject, text, markup, extra=""):
    """Both alternatives; text None: only HTML."""
    def part(kind, content):
        return (f'Content-Type: text/{kind}; charset="utf-8"\nContent-Transfer-Encoding: base64\n\n'
                + base64.encodebytes(content.encode()).decode())
    if text is None:
        return headers(sender, subject, extra) + part("html", markup)
    return (headers(sender, subject, extra) + 'Content-Type: multipart/alternative; boundary="b1"\n\n--b1\n'
            + part("plain", text) + "--b1\n" + part("html", markup) + "--b1--\n")


def newsletter(lead, items, footer, domain):
    """A well-made one: headline, items with links and images, unsubscribe link, address."""
    rows = "".join(f'<tr><td><img src="https://img.{domain}/{n}.jpg" alt="{title}" width="560" height="200">'
                   f'<h2>{title}</h2><p>{text}</p><p><a href="https://www.{domain}/a/{n}">{more}</a></p></td></tr>'
                   for n, (title, text, more) in enumerate(items))
    markup = (f'<!DOCTYPE html><html><head><title>x</title></head><body style="background-color:#ffffff">'
              f'<div style="display:none;max-height:0;overflow:hidden">{lead}</div>'
              f'<table width="600"><tr><td><h1 style="font-size:24px;color:#222222">{lead}</h1></td></tr>{rows}'
              f'<tr><td style="font-size:12px;color:#666666">{footer} '
              f'<a href="https://www.{domain}/unsubscribe?u=1">unsubscribe</a></td></tr></table></body></html>')
    text = f"{lead}\n\n" + "\n\n".join(f"{title}\n{text}\n{more}: https://www.{domain}/a/{n}"
                                       for n, (title, text, more) in enumerate(items)) + f"\n\n{footer}\nunsubscribe: https://www.{domain}/unsubscribe?u=1\n"
    return text, markup


NEWSLETTERS = [
    ("garden-letter.example", "The autumn garden in twelve steps",
     [("Plant bulbs before the frost", "Tulips and daffodils go into the ground three times as deep as they are tall. Water once and leave them alone until spring.", "How to plant bulbs"),
      ("What to do with leaves", "A thin layer protects beds from the cold; on lawns they should be gone by December. Compost takes the rest.", "About compost"),
      ("Readers ask", "Marta wants to know whether roses are cut in autumn or in spring. Our gardener answers.", "Read the answer")],
     "Garden Letter, 12 Mill Lane, Oxford OX1 2AB. You get this letter because you subscribed to it.", "Garden Letter <letter@garden-letter.example>"),
    ("stadtblatt.example", "Neues aus der Stadtbibliothek im November",
     [("Lesung am Donnerstag", "Um neunzehn Uhr liest die Autorin aus ihrem neuen Roman. Der Eintritt ist frei, um Anmeldung wird gebeten.", "Zur Anmeldung"),
      ("Neue Öffnungszeiten", "Ab dem ersten Dezember haben wir auch am Montag geöffnet, von zehn bis achtzehn Uhr.", "Alle Öffnungszeiten"),
      ("Bücherflohmarkt", "Ausgesonderte Bücher gibt es am zweiten Adventswochenende im Foyer.", "Mehr dazu")],
     "Stadtbibliothek, Marktplatz 5, 70173 Stuttgart. Sie möchten den Newsletter abbestellen?", "Stadtbibliothek <newsletter@stadtblatt.example>"),
    ("cuisine-lente.example", "Trois recettes pour la semaine",
     [("Soupe au potiron", "Une soupe simple, prête en trente minutes, avec un peu de gingembre et de la crème.", "Voir la recette"),
      ("Tarte aux poireaux", "La pâte se prépare la veille. Les poireaux cuisent doucement avec du beurre.", "Voir la recette"),
      ("Compote de pommes", "Sans sucre ajouté, avec de la cannelle. Les enfants l'adorent.", "Voir la recette")],
     "Cuisine lente, 8 rue des Lilas, 69003 Lyon. Pour vous désabonner, cliquez sur le lien.", "Cuisine lente <bonjour@cuisine-lente.example>"),
    ("sendero.example", "Rutas de montaña para este otoño",
     [("La laguna escondida", "Un paseo de doce kilómetros con poco desnivel, apto para familias.", "Ver la ruta"),
      ("Qué llevar en la mochila", "Agua, una capa de abrigo y el mapa: nuestra lista para un día de sol y de lluvia.", "Leer más"),
      ("Refugios abiertos", "Cuatro refugios siguen abiertos hasta diciembre. Conviene reservar.", "Ver los refugios")],
     "Sendero, Calle Mayor 14, 28013 Madrid. Puede darse de baja cuando quiera.", "Sendero <hola@sendero.example>"),
    ("bottega.example", "Il mese di novembre in bottega",
     [("Corso di ceramica", "Sei serate per imparare a usare il tornio, con un massimo di otto persone.", "Iscriversi al corso"),
      ("Orari di dicembre", "Saremo aperti anche la domenica pomeriggio, dalle quindici alle diciannove.", "Tutti gli orari")],
     "Bottega, Via Garibaldi 3, 40124 Bologna. Per disiscriverti usa il link.", "Bottega <ciao@bottega.example>"),
    ("tetradka.example", "Новости читального клуба",
     [("Встреча в четверг", "Обсуждаем роман о дороге на север. Приходите с книгой и с вопросами.", "Подробнее"),
      ("Список чтения", "Мы собрали двенадцать книг на зиму, от рассказов до мемуаров.", "Посмотреть список")],
     "Клуб чтения, ул. Садовая 7, 190000 Санкт-Петербург.", "Клуб чтения <club@tetradka.example>"),
    ("chaye.example", "十一月的茶讯",
     [("新茶到店", "今年的秋茶已经到店，欢迎周末来品尝。", "查看详情"), ("茶具展", "本月二十日起，店内展出二十位匠人的作品。", "了解更多")],
     "茶叶小店，上海市中山路12号。", "茶叶小店 <info@chaye.example>"),
    ("nihon-tabi.example", "十二月の旅のご案内",
     [("冬の温泉", "雪景色の見える宿を五つご紹介します。", "詳しく見る"), ("年末の予約", "年末年始のご予約は今月末までにお願いします。", "予約する")],
     "旅の案内所、京都市中京区12番地。", "旅の案内所 <tabi@nihon-tabi.example>"),
]

WANTED_TEXTS = [
    ("invoice", "Billing <billing@hostworks.example>", "Invoice 2026-{n}417 from Hostworks",
     "Hello {first},\n\nplease find attached invoice 2026-{n}417 for November, 49.00 EUR, due on 5 December. "
     "It covers two servers and one domain, as agreed in your contract H-{n}8812.\n\nYou can see all invoices in your "
     "customer area: https://my.hostworks.example/invoices\n\nKind regards\nMaria Hoffmann\nHostworks, Lindenstraße 4, 10969 Berlin\n"),
    ("order", "Paper & Pen <orders@paperpen.example>", "Your order {n}0482 has been received",
     "Dear {first} {last},\n\nthank you for your order. We have received it and will tell you when it leaves our warehouse.\n\n"
     "2 x notebook A5, lined        11.80\n1 x fountain pen, black       24.50\nShipping                       4.90\nTotal                         41.20\n\n"
     "Delivery address: {first} {last}, 3 High Street, Leeds LS1 4DY\n\nSee your order: https://www.paperpen.example/orders/{n}0482\n\nPaper & Pen Ltd, 9 Dock Road, Hull HU1 1AA\n"),
    ("reset", "Notely <support@notely.example>", "Reset your Notely password",
     "Hi {first},\n\nwe received a request to reset the password of your Notely account. To choose a new one, open this link within the next hour:\n\n"
     "https://app.notely.example/reset?token=8f2c{n}91ab\n\nIf you didn't request this, you can ignore this message; your password stays as it is.\n\nThe Notely team\n"),
    ("confirm", "Openmap <hello@openmap.example>", "Please confirm your e-mail address",
     "Hi {first},\n\nthanks for signing up at Openmap. Please confirm your e-mail address with this link so that we know it is yours:\n\n"
     "https://www.openmap.example/confirm/{n}a7d2\n\nYou created this account today with the name {last}{n}. If that was not you, do nothing and it will be deleted after a week.\n\nOpenmap\n"),
    ("signin", "Notely <security@notely.example>", "New sign-in to Notely from Firefox on Linux",
     "Hi {first},\n\nyour account was used to sign in from a new device:\n\nFirefox on Linux, Leeds, United Kingdom\n21 November 2026, 10:44\n\n"
     "If this was you, there is nothing to do. If not, change your password in the settings and sign out all devices: https://app.notely.example/settings\n\nThe Notely team\n"),
    ("shipping", "Parcel Post <tracking@parcelpost.example>", "Your parcel {n}99120 arrives tomorrow",
     "Hello {first},\n\nyour parcel from Paper & Pen is on its way and will arrive tomorrow between 10:00 and 12:00.\n\nFollow it here: https://www.parcelpost.example/t/{n}99120\n\n"
     "If nobody is at home, the driver leaves it with a neighbour or takes it to the shop at 5 Station Road.\n\nParcel Post\n"),
    ("personal", "{first} {last} <{first}@familymail.example>", "Saturday",
     "Hi Joe,\n\nare you free on Saturday? We thought of walking up to the tower if the weather holds, and having soup at our place afterwards. "
     "Bring boots, the path was quite muddy last week. The children would love to see you.\n\nLet me know, and say hello to your mother from us.\n\n{first}\n"),
    ("reply", "{first} {last} <{first}.{last}@workshop.example>", "Re: Minutes of the meeting",
     "Thanks Joe, that matches what I remember. One correction: the second point was moved to January because the numbers are not there yet.\n\n{first}\n\n"
     "On Fri, 20 Nov 2026 Joe wrote:\n> Here are the minutes. Please tell me if anything is missing.\n> We agreed on the budget and on the new rooms.\n"),
    ("list", "{first} {last} via dev <dev@lists.project.example>", "[dev] Patch: read the configuration once",
     "Hello,\n\nthe attached patch reads the configuration once at start rather than at each request. On my machine a request takes 0.8 ms less.\n\n"
     "I am not sure about the reload: at the moment it needs a lock. Comments are welcome.\n\n--- a/server.c\n+++ b/server.c\n@@ -1,4 +1,4 @@\n-    load(config);\n+    use(config);\n\n{first}\n_______________________________________________\ndev mailing list\nhttps://lists.project.example/listinfo/dev\n"),
    ("ticket", "Support <help@hostworks.example>", "[#{n}7712] Your question about backups",
     "Hello {first},\n\nthank you for writing. Backups run every night at two and are kept for thirty days. You can restore single files yourself under Backups, "
     "or ask us for a whole server; that takes about an hour.\n\nPlease answer this message if anything is unclear. Your ticket is #{n}7712.\n\nRegards\nJonas\nHostworks support\n"),
    ("bank", "Riverside Bank <service@riverside-bank.example>", "Your statement for November is ready",
     "Dear {first} {last},\n\nyour account statement for November is ready. For your security we do not send it by mail: please sign in to your online banking as usual, "
     "by typing the address yourself, and open the mailbox there.\n\nWe never ask for your password or your PIN by e-mail.\n\nRiverside Bank, 1 Bank Street, Bristol BS1 5TR\n"),
    ("application", "{first} {last} <jobs@atelier.example>", "Your application as an architect",
     "Dear Joe,\n\nthank you for your application and the portfolio, which we enjoyed. We would like to meet you on Tuesday, 1 December, at 14:00 in our office. "
     "The interview takes about an hour; three of us will be there. Please tell us whether the time suits you.\n\nKind regards\n{first} {last}\nAtelier, 20 Quay Street, Manchester M3 3JE\n"),
    ("calendar", "{first} {last} <{first}@workshop.example>", "Invitation: Planning, Mon 23 Nov 14:00",
     "You have been invited to the following event.\n\nPlanning\nMonday 23 November 2026, 14:00 to 15:00\nRoom 4, or by video: https://meet.workshop.example/plan-{n}\n\n"
     "Agenda: open points of last week, the schedule for December, who is away over the holidays.\n\nPlease accept or decline in your calendar.\n"),
    ("school", "Schule am Park <sekretariat@schule-am-park.example>", "Elternabend am 3. Dezember",
     "Liebe Eltern,\n\nam Donnerstag, dem 3. Dezember, findet um 19 Uhr der Elternabend der Klasse {n}b statt. Wir sprechen über die Klassenfahrt, das neue Fach und die Wahl der Vertretung. "
     "Bitte geben Sie bis Freitag Bescheid, ob Sie kommen.\n\nMit freundlichen Grüßen\n{first} {last}\nSchule am Park\n"),
    ("facture", "Électricité du Sud <factures@elec-sud.example>", "Votre facture de novembre",
     "Bonjour {first} {last},\n\nvotre facture de novembre est disponible dans votre espace client. Le montant de 64,30 € sera prélevé le 5 décembre sur votre compte.\n\n"
     "Consulter la facture : https://client.elec-sud.example/factures\n\nVotre conseiller reste à votre disposition au 09 00 00 00 0{n}.\n\nÉlectricité du Sud, 4 avenue de la Gare, 34000 Montpellier\n"),
    ("cita", "Clínica Norte <citas@clinica-norte.example>", "Recordatorio de su cita del martes",
     "Estimada {first} {last}:\n\nle recordamos su cita del martes 24 de noviembre a las 9:{n}0 con la doctora Ruiz. Por favor, llegue diez minutos antes y traiga su tarjeta.\n\n"
     "Si no puede venir, avísenos con un día de antelación en el teléfono 910 000 00{n}.\n\nClínica Norte, Calle Alcalá 120, 28009 Madrid\n"),
    ("release", "Build <build@forge.example>", "Release 2.{n} is out",
     "Hello,\n\nversion 2.{n} is out. It has fewer dependencies, starts twice as fast and fixes eleven bugs, one of them in the parser that could end the process.\n\n"
     "Changes: https://forge.example/project/releases/2.{n}\nChecksums are in the same place and are signed with the usual key.\n\nIf you run 2.{n} from the package archive, the update comes by itself.\n"),
    ("notice", "Forge <notifications@forge.example>", "[project] Test fails on big-endian machines (Issue #{n}81)",
     "{last} commented on this issue:\n\nI can reproduce it on the s390x machine. The reader takes the length as it stands in memory; it should go through the same function as the writer.\n\n"
     "--\nReply to this e-mail directly or view it on Forge: https://forge.example/project/issues/{n}81\nYou are receiving this because you are subscribed to this thread.\n"),
    ("trial", "Ledgerly <team@ledgerly.example>", "Your trial of Ledgerly ends in three days",
     "Hi {first},\n\nyour trial of Ledgerly ends on Tuesday. If you would like to go on, choose a plan under Settings; the smallest is 9 EUR a month and can be cancelled at any time. "
     "If not, there is nothing to do: we keep your data for sixty days so that you can export them.\n\nPlans and prices: https://www.ledgerly.example/plans\n\nQuestions? Just answer this message.\n\nNina from Ledgerly\n"),
    ("rent", "{first} {last} <{first}.{last}@familymail.example>", "Die Wohnung in der Gartenstraße",
     "Hallo Joe,\n\nich habe mir die Wohnung heute angesehen. Drei Zimmer, hell, das Bad ist neu, die Küche müssten wir übernehmen. Die Miete ist 1.{n}80 Euro warm. "
     "Der Vermieter möchte bis Mittwoch Bescheid wissen. Sollen wir am Montag noch einmal zusammen hin?\n\nLiebe Grüße\n{first}\n"),
    ("ptdelivery", "Livraria Sol <pedidos@livraria-sol.example>", "O seu pedido {n}551 foi enviado",
     "Olá {first},\n\no seu pedido {n}551 saiu hoje do nosso armazém e deve chegar dentro de três dias úteis. Contém dois livros e um caderno.\n\n"
     "Pode acompanhar a entrega em https://www.livraria-sol.example/pedidos/{n}551\n\nObrigado pela sua compra.\nLivraria Sol, Rua da Prata 30, 1100-052 Lisboa\n"),
    ("nldentist", "Tandarts Vermeer <praktijk@tandarts-vermeer.example>", "Uw afspraak op donderdag",
     "Beste {first},\n\nop donderdag 26 november om 1{n}:30 uur heeft u een afspraak voor controle. Kunt u niet komen, bel ons dan uiterlijk een dag van tevoren.\n\n"
     "Met vriendelijke groet\nTandarts Vermeer, Laan van Meerdervoort 8, 2517 AK Den Haag\n"),
    ("ruticket", "Театр на набережной <bilety@teatr.example>", "Ваш билет на 28 ноября",
     "Здравствуйте, {first}!\n\nВаш билет на спектакль 28 ноября в 19:00: ряд {n}, место 14. Покажите его на входе с экрана телефона.\n\nГардероб работает с 18:00. Театр на набережной\n"),
    ("survey", "Hostworks <feedback@hostworks.example>", "How was our support?",
     "Hello {first},\n\nlast week you wrote to our support about backups. We would like to know whether the answer helped you. Three questions, one minute:\n\n"
     "https://feedback.hostworks.example/s/{n}812\n\nYou get this message once for each ticket. Thank you.\nHostworks, Lindenstraße 4, 10969 Berlin\n"),
]

SALE = ("<!DOCTYPE html><html><body><div style='display:none'>Coats and boots for the cold season</div><table><tr><td>"
        "<img src='https://img.{d}/hero.jpg' alt='Winter coats' width='600' height='300'><h1>Winter sale: 20% off coats</h1>"
        "<p>From today until Sunday all coats and boots in our shops and online are reduced by 20%. The wool comes from "
        "Scotland, the leather from Portugal, and everything can be returned within thirty days.</p>"
        "<p><a href='https://www.{d}/coats'>See the coats</a> <a href='https://www.{d}/boots'>See the boots</a> "
        "<a href='https://www.{d}/shops'>Find a shop</a></p><p>Members get free shipping as always. The offer ends on Sunday.</p>"
        "<p style='font-size:12px'>{d}, 40 Market Street, Edinburgh EH1 1DF. You are a member since 2021. "
        "<a href='https://www.{d}/unsubscribe'>Unsubscribe</a> or <a href='https://www.{d}/prefs'>manage preferences</a>.</p>"
        "</td></tr></table><img src='https://t.{d}/o.gif' width='1' height='1' alt=''></body></html>")


def wanted():
    for variant, (first, last) in enumerate(PEOPLE):
        for name, sender, subject, text in WANTED_TEXTS:
            fill = {"first": first, "last": last, "n": variant + 1}
            yield f"{name}-{variant}", plain(sender.format(**fill), subject.format(**fill), text.format(**fill))
    for domain, lead, items, footer, sender in NEWSLETTERS:
        text, markup = newsletter(lead, items, footer, domain)
        unsubscribe = f"List-Unsubscribe: <https://www.{domain}/unsubscribe?u=1>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n"
        yield f"newsletter-{domain}", html(sender, lead, text, markup, unsubscribe)
        yield f"newsletter-html-{domain}", html(sender, lead, None, markup, unsubscribe)
    for domain in ("woolworks.example", "northcoat.example", "tweedhouse.example"):
        yield f"sale-{domain}", html(f"Shop <news@{domain}>", "Winter sale: 20% off coats and boots", None,
                                     SALE.format(d=domain), f"List-Unsubscribe: <https://www.{domain}/u>\n")


FEE = ("Dear friend,\n\nMy name is Barrister {first} {last}, attorney at law to my late client, an engineer who died with his whole family in an accident in {place}. "
       "He left the sum of {n}8.5 million US dollars in a dormant account with a security company here. I write in strict confidence to ask for your assistance to transfer this fund to your foreign account as next of kin. "
       "You will have 40% of the total sum, and the transaction is 100% risk free. Please send your full names, your bank account details and your telephone number so that we may conclude the modalities. "
       "Keep this strictly confidential.\n\nRemain blessed,\nBarr. {first} {last}\n")
CHARITY = ("Dearest one in the Lord,\n\nI am Mrs {first} {last}, a widow from {place}, suffering from cancer of the breast. My late husband worked with the central bank of the country and deposited the sum of "
           "$ {n}2,500,000.00 before his death. My doctor told me that I will not last. I want to donate this fund to charity and to orphanages through you, as the beneficiary. Contact me by my private mail for more details. God bless you.\n\nMrs {first} {last}\n")
LOTTERY = ("ATTENTION WINNER!!!\n\nWe are pleased to inform you that you have won the sum of {n}50,000 euros in the international lottery held this month. Your email address was drawn with the winning numbers 5 12 33 41. "
           "Batch number {n}881/EU for the winning ticket. To claim your prize contact our agent with your full name, address, age and telephone number. Congratulations once again from all of us!!!\n\nDr. {first} {last}, online coordinator\n")
PILLS = ("Hello,\n\ncheap meds without a prescription! Viagra, Cialis and Levitra at the lowest prices, no prescription needed, discreet shipping. Order now and save 70%: http://best-pills-{n}.xyz/?id=8{n}\n\nOnline pharmacy, 100% satisfaction guaranteed or your money back!\n")
GROW = ("Make her happy tonight!\n\nOur natural formula gives male enhancement, bigger size and better sexual performance within weeks. 100% guaranteed, money back. Click here: http://{n}xl-men.top/buy\n\nLimited time offer, act now!\n")
ADULT = ("Hey {n}!\n\nhot singles in your area want to meet tonight. Watch live cams, nude pics and adult videos now, over 18 only. Click here http://cams-{n}.click/join and get a free membership, no credit card needed!!!\n")
WATCHES = ("Luxury replica watches and designer replica bags at unbeatable prices. Fake Rolex that nobody can tell apart from the real one. Save up to 85%, free shipping today only: http://replica-{n}.icu\n")
MONEY = ("Dear friend,\n\nwould you like to make $5000 a week working from home? Be your own boss with our proven system, no experience needed! Earn extra income and reach financial freedom. {n}00 people have done it. "
         "This opportunity of a lifetime ends soon, act now: http://rich-{n}.win/start\n\nTo be removed from our list reply with remove in the subject line.\n")
LOAN = ("Bad credit? No credit? No problem!\n\nGet an unsecured loan from $5,000 to $500,000 within 24 hours. Lowest interest rates, no obligation, cash advance and debt consolidation. Apply now: http://loans-{n}.loan/apply. Dear customer, do not miss this offer!!\n")
DIET = ("LOSE 30 POUNDS IN 30 DAYS!!!\n\nThis miracle fat burner melts belly fat without diet or exercise. Doctors are amazed! As seen on TV. Free trial, only 2{n} bottles left. Order now and burn fat fast: http://keto-{n}.buzz/go\n")
STOCK = ("INVESTOR ALERT: strong buy!\n\nThis penny stock is about to explode. Symbol: QX{n}Z, OTC market. Current price $0.0{n}, price target $1.50. Get in before the news is out on Monday. This hot stock pick made 400% last time. Forward looking statements apply.\n")
DIPLOMA = ("Get a university diploma without tests, classes or exams! Bachelors, masters and doctorate degrees based on your life experience. Non accredited universities, no one is turned down. Call now 1-206-555-01{n}2, operators are standing by.\n")
LISTS = ("Boost your sales! We sell {n}0 million fresh email addresses, targeted leads for any country, and bulk email software. Opt in lists from $99. Send your offer to millions of email addresses today. Reply with remove to be removed.\n")
CASINO = ("Welcome bonus 200% on your first deposit and 150 free spins! Play slot machines, blackjack and poker at our online casino. Jackpot of $ {n},250,000 waiting. Claim your bonus now: http://spin-{n}.bet/win?ref=1\n")
CRYPTO = ("Guaranteed returns of {n}5% per day with our bitcoin trading bot. Invest in crypto from $250 and double your money in a week, risk free. Thousands of members profit from bitcoin already. Join now: http://coin-profit-{n}.site.top/join\n")
SEO = ("Hello,\n\nI came across your website and noticed that it does not rank on the first page of Google. We are an SEO company with affordable SEO packages, quality backlinks and guest posts. We can increase your traffic and ranking within {n} months. "
       "May I send you a quote and our price list?\n\n{first}, business development\n")
PHISH = ("Dear customer,\n\nwe noticed unusual sign in activity on your PayPal account. Your account has been limited. Please verify your account within 24 hours or it will be permanently suspended: http://paypal.secure-check{n}.xyz/login\n\nEnter your card number and CVV to confirm your identity.\n\nPayPal Security\n")
MAILBOX = ("Dear user,\n\nyour mailbox is full and will be deactivated within 48 hours. To avoid suspension validate your mailbox and confirm your password here: http://webmail-update.{n}host.tk/owa\n\nIT helpdesk\n")
PARCEL = ("Your package could not be delivered because of an unpaid customs fee of 1.{n}9. Pay the redelivery fee within 24 hours or it will be returned: https://dhl-parcel{n}.click/pay\n\nDHL Express\n")
EXTORT = ("I know your password is hunter{n}. I hacked your computer and recorded you through your webcam while you were watching videos. If you do not send $ 950 in bitcoin to my wallet 1BoatSLRHtKNngkdXEobR76b53LETtpyT{n} within 48 hours, I will send the video to all your contacts.\n")
EXEC = ("Hi,\n\nare you available at the moment? I am in a meeting and need a quick task done. Please buy {n} gift cards and send me the codes. Keep it confidential, it is a surprise for the staff. Send me your personal cell number.\n\nSent from my phone\n")
BILL = ("Please see attached invoice {n}7811. Payment is overdue. Download it here: http://files-{n}.work/invoice.zip\n")
JOB = ("Part time remote job, no experience required! Work 2 hours a day from home and earn $400 per day with your phone. Hiring immediately. You keep 10% commission of each transaction as our payment processor. Contact us on messenger +1 555 010{n}.\n")
LEET = ("Buy V1agra and C1alis here, best pr1ces, no prescr1ption! http://{n}.pills-shop.gq/ c@sh on delivery\n")
INSURE = ("Compare free quotes and save up to $500 on auto insurance! Life insurance quotes in {n} minutes, lowest rates guaranteed. Click here now: http://quotes-{n}.review/go. This is not spam.\n")

UNWANTED_TEXTS = [
    ("fee", "{first} {last} <barr.{last}{n}{n}551@gmail.com>", "URGENT BUSINESS PROPOSAL", FEE),
    ("charity", "Mrs {first} <mrs{first}4{n}120@yahoo.com>", "Dearest one", CHARITY),
    ("lottery", "Lottery Board <info{n}@winners.example>", "CONGRATULATIONS YOU WON!!!", LOTTERY),
    ("pills", "Pharmacy <sale@pills{n}.example>", "Viagra at the lowest prices!", PILLS),
    ("grow", "{first} <{first}@xl{n}.example>", "Make her happy!!", GROW),
    ("adult", "{first} <{first}{n}99182@cams.example>", "Hot singles near you", ADULT),
    ("watches", "Watches <sale@r{n}.example>", "Replica Rolex -85%", WATCHES),
    ("money", "{first} <{first}@rich{n}.example>", "Make $5000 a week from home!", MONEY),
    ("loan", "Loans <apply@loans{n}.example>", "Bad credit? No credit? Approved!", LOAN),
    ("diet", "Diet <news@keto{n}.example>", "Lose weight fast!!!", DIET),
    ("stock", "Alerts <pick@otc{n}.example>", "Hot stock alert", STOCK),
    ("diploma", "Degrees <info@uni{n}.example>", "Get your diploma without exams", DIPLOMA),
    ("lists", "Leads <sales@leads{n}.example>", "{n}0 million email addresses", LISTS),
    ("casino", "Casino <bonus@spin{n}.example>", "Casino bonus: claim now!", CASINO),
    ("crypto", "{first} <{first}@coin{n}.example>", "Double your bitcoin profit", CRYPTO),
    ("seo", "{first} <{first}.seo{n}@gmail.com>", "First page of Google", SEO),
    ("phish", "PayPal <service@check{n}.example>", "Your account has been limited", PHISH),
    ("mailbox", "IT Helpdesk <admin@host{n}.example>", "Verify your mailbox now", MAILBOX),
    ("parcel", "DHL Express <notice@parcel{n}.example>", "Your package is waiting", PARCEL),
    ("extortion", "{first} <{first}{n}@mail.example>", "I have your password", EXTORT),
    ("exec", "{first} {last} <ceo.office{n}1188@gmail.com>", "Quick task", EXEC),
    ("bill", "Accounts <acc{n}@invoice.example>", "Overdue invoice", BILL),
    ("job", "HR <jobs{n}@work.example>", "Earn $400 per day", JOB),
    ("leet", "Shop <shop@p{n}.example>", "Cheap V1agra", LEET),
    ("insurance", "Quotes <q{n}@quotes.example>", "Save $500 on insurance today", INSURE),
]


def unwanted_html(variant):
    n = variant + 1
    yield f"image-{variant}", html(f"Deals <deal{n}@d.example>", "Open now", None,
                                   f"<html><body><a href='http://deal{n}.top/x'><img src='http://deal{n}.top/a.jpg'></a></body></html>")
    yield f"hidden-{variant}", html(f"Shop <s{n}@h.example>", "Your offer", None,
                                    f"<html><body><p>Cheap Via<!-- {n} -->gra and Ci<!-- x -->alis without prescription</p><p><font color=white>"
                                    "weather report today in the morning and all of the evening news for everybody</font></p>"
                                    f"<p><a href='http://93.184.216.3{n}/buy'>Click here</a></p></body></html>")
    yield f"login-{variant}", html(f"Microsoft Account <no-reply@login{n}.example>", "Unusual sign-in: verify your account", None,
                                   "<html><body><p>Dear user, your Microsoft account will be suspended within 24 hours. Verify your account:</p>"
                                   f"<form action='http://x{n}.tk/p'><input name='user'><input type='password' name='p'><input type='submit'></form>"
                                   f"<p><a href='http://x{n}.tk/p'>https://login.microsoft.com/</a></p></body></html>")


def unwanted():
    for variant, (first, last) in enumerate(PEOPLE):
        for name, sender, subject, text in UNWANTED_TEXTS:
            fill = {"first": first, "last": last, "n": variant + 1, "place": ["Togo", "Ghana", "Benin Republic", "Lagos"][variant]}
            yield f"{name}-{variant}", plain(sender.format(**fill), subject.format(**fill), text.format(**fill))
        yield from unwanted_html(variant)
