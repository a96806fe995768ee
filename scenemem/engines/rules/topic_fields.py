"""Everyday English words by the field of life they belong to.

Two statements may speak of one matter without sharing a word ("my glaze cracked", "back to the
pottery wheel"). A word that is listed here adds its field as one more term beside its own stem, so
that a follow-up stays with its matter, and a change of field is seen as a change of matter, even
before this memory has heard either word. Words that belong to many fields are left out.
"""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, str]] = {
    "family": """
        family mom mother dad father parent parents brother sister sibling son daughter child kid
        kids baby toddler grandma grandmother grandpa grandfather grandparents aunt uncle cousin
        nephew niece husband wife spouse twin twins pregnant pregnancy babysitter relatives stepdad
        stepmom
    """,
    "romance": """
        boyfriend girlfriend fiance fiancee wedding marriage married engagement engaged honeymoon
        anniversary divorce divorced breakup dating romantic valentine bride groom bridesmaid
        proposal
    """,
    "pets": """
        dog dogs puppy pup cat kitten hamster rabbit bunny turtle turtles parrot fish aquarium tank
        pet pets vet leash kennel litter paw paws fur aviary lizard gecko snake guinea pig breed
        retriever shepherd poodle beagle collar
    """,
    "food": """
        food cook cooking recipe recipes bake baking baked cake cakes cookies cookie bread pasta
        pizza sushi salad soup dish dishes meal meals dinner lunch breakfast brunch dessert
        chocolate coffee tea wine beer cocktail restaurant cafe chef kitchen ingredients vegetable
        vegetables fruit fruits meat chicken beef pork salmon tofu vegan vegetarian spicy flavor
        flavors cheese butter sugar flour rice noodles curry taco tacos burger burgers sandwich
        grill roast oven snack snacks grocery groceries ice-cream muffin pie pancakes dairy gluten
        lactose coconut lemon apple banana strawberry mango cuisine culinary eat diet dining
    """,
    "health": """
        health doctor hospital clinic nurse surgery illness disease diagnosis diagnosed symptoms
        symptom treatment therapy therapist medication medicine pills prescription pain injury
        injured sick flu fever allergy allergies asthma asthmatic diabetes cancer blood pressure
        cholesterol physio physiotherapy checkup dentist tooth teeth migraine headache headaches
        weight obesity gastritis stomach heart knee ankle sprained vaccine insomnia depression
        anxiety counseling counselor mental psychologist rehab recovery arthritis pneumonia
        infection
    """,
    "fitness": """
        gym workout workouts exercise exercises fitness yoga pilates cardio weights lifting squats
        jogging run running runner marathon treadmill stretching strength crossfit trainer aerobics
        boot-camp pushups taekwondo kickboxing boxing karate meditation mindfulness mat poses
        breathing
    """,
    "sports": """
        basketball football soccer baseball tennis golf hockey volleyball cricket rugby team coach
        league season playoffs championship tournament trophy medal player players court stadium
        score scored points match referee athlete athletes endorsement ski skiing snowboarding
        snowboard skating surfing surf swim swimming climbing kayaking kayak rafting cycling
        cyclist bike biking
    """,
    "outdoors": """
        hike hiking trail trails mountain mountains camp camping campfire tent forest woods lake
        river waterfall nature park national wilderness beach ocean sea sunset sunrise stars
        stargazing meteor birds birdwatching picnic fishing canyon desert island marshmallows
        backpack backpacking outdoors
    """,
    "garden": """
        garden gardening plant plants flowers flower seeds soil roses tulips tomatoes herbs compost
        lawn greenhouse orchid succulents watering pruning bloom blossoms sunflower sunflowers
        lavender
    """,
    "travel": """
        travel traveling travelling trip trips vacation holiday flight flights airport airline
        hotel hostel airbnb passport visa luggage suitcase itinerary tour tourist sightseeing
        abroad cruise resort paris london rome tokyo japan italy spain france england ireland
        germany greece thailand bali mexico canada europe asia barcelona berlin amsterdam hawaii
        seattle boston chicago roadtrip museum landmarks castle
    """,
    "art": """
        art artist artists paint painting paintings painted canvas brush watercolor sketch sketches
        drawing drawings gallery exhibit exhibition sculpture mural portrait abstract pottery clay
        ceramics ceramic bowl bowls vase kiln glaze craft crafts knitting crochet sewing quilt
        jewelry woodworking carving palette photography photographer camera lens
    """,
    "music": """
        music musician song songs album guitar piano violin drums drum cello clarinet saxophone
        flute bass band concert gig orchestra choir singing singer sing melody lyrics jazz rock pop
        classical rap hip-hop playlist vinyl festival studio record recording chords karaoke jam
        bach mozart
    """,
    "dance": """
        dance dancing dancer dancers ballet choreography choreographer ballroom salsa contemporary
        rehearsal rehearsals recital
    """,
    "screen": """
        movie movies film films cinema screenplay script scripts director actor actress scene
        trilogy sequel series netflix show episode episodes documentary cartoon anime marvel
        theater producer producers premiere filming screenwriting
    """,
    "reading": """
        book books novel novels author read reading library bookstore chapter fantasy fiction
        poetry poem poems literature bookshelf kindle bestseller memoir biography manga comics
        publisher manuscript writing writer journal journaling blog
    """,
    "gaming": """
        game games gaming gamer console xbox playstation nintendo controller valorant fortnite
        minecraft street-fighter cyberpunk witcher rpg strategy chess board-game dungeons esports
        poker card cards puzzle puzzles
    """,
    "work": """
        job jobs career office boss manager colleague colleagues coworker coworkers promotion
        salary interview resume employer company corporate internship intern hired fired layoff
        meeting meetings deadline workplace shift overtime banker engineer lawyer accountant
        retired retirement clients client
    """,
    "business": """
        business startup entrepreneur store shop customers customer sales marketing brand investors
        investor investment funding revenue profit product products launch website advertising ads
        online inventory supplier wholesaler loan lease rent franchise
    """,
    "money": """
        money budget savings bank debt mortgage tax taxes bills bill price prices cost costs invest
        stocks stock crypto bitcoin insurance pension expenses donation donations fundraiser
        fundraising
    """,
    "school": """
        school college university class classes course courses teacher teachers professor student
        students exam exams test homework assignment thesis degree diploma graduation graduate
        graduated scholarship semester lecture campus tutor tutoring education kindergarten math
        mathematics physics chemistry biology history essay grades study studying
    """,
    "technology": """
        computer laptop software app apps code coding programming programmer developer server
        database python java javascript android ios robot robots robotics ai algorithm data cloud
        api bug deploy deployment keyboard monitor phone iphone smartphone tablet wifi internet
        gadget gadgets drone vr hardware docker kubernetes release repository backend frontend
    """,
    "vehicles": """
        car cars truck motorcycle engine garage mechanic tires brakes drive driving license
        dealership ferrari prius ford mustang toyota tesla hybrid restoration vehicle vehicles auto
        van
    """,
    "home": """
        house home apartment flat room bedroom bathroom living-room sofa couch furniture decor
        decorating renovation renovate remodel landlord neighbor neighbors neighborhood moving
        moved move roof basement attic plumbing plumber boiler tiles tiler tiling cabinets cabinet
        countertop countertops electrician contractor carpet curtains
    """,
    "identity": """
        lgbtq lgbt transgender trans queer gay lesbian pride gender identity transition
        transitioning acceptance equality rights discrimination inclusivity coming-out pronouns
    """,
    "community": """
        volunteer volunteering volunteered charity shelter homeless community nonprofit donate
        donated activism activist protest rally march campaign election council mayor politics
        political policy vote voting government veterans military army firefighters police outreach
        awareness advocacy
    """,
    "faith": """
        church faith god prayer pray religious religion bible mosque temple synagogue priest pastor
        christian christmas easter ramadan spiritual
    """,
    "fashion": """
        fashion clothes clothing dress dresses shirt jeans jacket shoes boots sneakers style outfit
        outfits designer makeup cosmetics perfume hair haircut hairstyle tattoo tattoos skirt
        hoodie
    """,
    "adoption": """
        adopt adopting adopted adoption agency agencies foster orphan orphanage
    """,
    "nature": """
        climate environment environmental sustainability sustainable recycling pollution wildlife
        animals whale whales dolphin dolphins bear bears deer eagle squirrel species conservation
        solar energy renewable
    """,
    "disaster": """
        accident crash flood flooding fire storm hurricane earthquake tornado emergency rescue
        ambulance damage damaged robbery stolen theft
    """,
}
